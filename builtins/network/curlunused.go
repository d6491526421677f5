package network

import "strings"

// elsewhereOptions are those of other protocols, of other systems and of proxies, which
// have no effect on HTTP without a proxy. A name with an equals sign has a value.
const elsewhereOptions = `a,append B,use-ascii compressed-ssh crlfile= delegation= egd-file= ftp-account= ftp-alternative-to-user=
	ftp-create-dirs ftp-method= ftp-pasv P,ftp-port= ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-ccc-mode= ftp-ssl-control
	disable-eprt disable-epsv hostpubmd5= hostpubsha256= krb= l,list-only login-options= mail-auth= mail-from= mail-rcpt=
	mail-rcpt-allowfails pubkey= Q,quote= random-file= sasl-authzid= sasl-ir service-name= ssl ssl-allow-beast ssl-auto-client-cert
	ssl-no-revoke ssl-reqd ssl-revoke-best-effort t,telnet-option= tftp-blksize= tftp-no-options suppress-connect-headers
	no-npn tcp-nodelay`

// refusedOptions are those that a sandbox cannot have, by the reason.
var refusedOptions = map[string]string{
	noProxy: `proxy-anyauth proxy-basic proxy-cacert= proxy-capath= proxy-cert= proxy-cert-type= proxy-ciphers= proxy-crlfile= proxy-digest
		proxy-header= proxy-insecure proxy-key= proxy-key-type= proxy-negotiate proxy-ntlm proxy-pass= proxy-pinnedpubkey=
		proxy-service-name= proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tls13-ciphers= proxy-tlsauthtype= proxy-tlspassword=
		proxy-tlsuser= proxy-tlsv1 U,proxy-user= proxy1.0= p,proxytunnel socks5-basic socks5-gssapi socks5-gssapi-nec
		socks5-gssapi-service= haproxy-protocol`,
	noVerify: `cacert= capath= cert-status E,cert= cert-type= key= key-type= pass= pinnedpubkey= engine= ciphers= curves= tls13-ciphers= tls-max=
		2,sslv2 3,sslv3 tlsauthtype= tlspassword= tlsuser= no-alpn doh-insecure doh-cert-status`,
	noAddr: `abstract-unix-socket= unix-socket= interface= local-port= dns-interface= dns-ipv4-addr= dns-ipv6-addr= dns-servers= doh-url=
		alt-svc= hsts=`,
	"the network policy looks at the path that is sent": `path-as-is request-target=`,
}

// addListed adds the options of a list.
func addListed(options []curlOption, list string, set setter) []curlOption {
	for item := range strings.FieldsSeq(list) {
		o := curlOption{set: set}
		letter, name, ok := strings.Cut(item, ",")
		if !ok {
			letter, name = "", item
		}
		o.letter = letter
		if o.name, ok = strings.CutSuffix(name, "="); ok {
			o.value = "value"
		}
		options = append(options, o)
	}
	return options
}
