package tools

import (
	"encoding/base64"
	"encoding/json"
)

// A Result is what a call has come to: an output or an error.
type Result struct {
	Tool   *Tool  // nil where there is none of that name
	Output any    // a struct of the tool's output schema; nil where there is an error
	Error  *Error // nil where there is none

	// Meta is what the application may want to know and the model does not need.
	Meta map[string]any

	// Shortened is what a model is to be given in place of an output that is too large.
	Shortened *Shortened
}

// JSON returns the output, or the error as models are shown it.
func (r *Result) JSON() []byte {
	if r.Error != nil {
		return r.Error.JSON()
	}
	return marshal(r.Output)
}

// Text returns what a model is to read: the output in the form that is shortest to
// read, or the error.
func (r *Result) Text() string {
	switch {
	case r.Error != nil:
		return string(r.Error.JSON())
	case r.Shortened != nil:
		return r.Shortened.Text()
	}
	if t, ok := r.Output.(interface{ Text() string }); ok {
		return t.Text()
	}
	return string(marshal(r.Output))
}

// Structured returns the output for a model that reads JSON: that of
// [Result.JSON] or, where it is too large, what says where it is.
func (r *Result) Structured() json.RawMessage {
	if r.Error == nil && r.Shortened != nil {
		return marshal(r.Shortened)
	}
	return r.JSON()
}

// An Image is a picture that a model may be shown.
type Image struct {
	MIMEType string
	Base64   string
}

// Bytes returns the picture itself.
func (i Image) Bytes() ([]byte, error) { return base64.StdEncoding.DecodeString(i.Base64) }

// Image returns the picture that was read, if one was.
func (r *Result) Image() (Image, bool) {
	o, ok := r.Output.(readOutput)
	return Image{o.MIMEType, o.Content}, ok && isImage(o.MIMEType)
}
