package docker_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/docker"
	"github.com/stretchr/testify/require"
)

// certificates makes an authority and a certificate of it, in files of a directory as
// the docker command has them.
func certificates(t *testing.T) (dir string, server *tls.Config) {
	dir = t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for name, block := range map[string]*pem.Block{
		"ca.pem": {Type: "CERTIFICATE", Bytes: certificate}, "cert.pem": {Type: "CERTIFICATE", Bytes: certificate}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	require.NoError(t, err)
	known := x509.NewCertPool()
	parsed, err := x509.ParseCertificate(certificate)
	require.NoError(t, err)
	known.AddCert(parsed)
	return dir, &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: known, ClientAuth: tls.RequireAndVerifyClientCert}
}

// An engine that wants to see certificates is shown them, and shows its own.
func (e engine) certificates(t *testing.T) {
	dir, server := certificates(t)
	f, closeForwarder := newForwarder(t, func(l net.Listener) net.Listener { return tls.NewListener(l, server) })
	defer closeForwarder()
	host := "tcp://" + f.Addr().String()
	_, err := docker.Ping(t.Context(), host)
	require.Error(t, err, "without certificates")
	t.Setenv("DOCKER_CERT_PATH", dir)
	_, err = docker.Ping(t.Context(), host)
	require.NoError(t, err)
	s := e.open(t, docker.Config{Host: host})
	require.Equal(t, "through TLS\n", sh(t, s, "echo through TLS"))
	data := make([]byte, 1<<20)
	require.NoError(t, s.WriteFile(t.Context(), "f", data, 0o644))
	require.Equal(t, "1048576\n", sh(t, s, "wc -c < f"))
	require.NoError(t, s.Close())
	other, _ := certificates(t)
	t.Setenv("DOCKER_CERT_PATH", other)
	_, err = docker.Ping(t.Context(), host)
	require.ErrorContains(t, err, "certificate", "of another authority")
	e.nothingLeft(t)
}

// An engine that is restarted ends its containers. What was running has an outcome that
// nobody knows, which is an error and no hang; it is not run again; and nothing is left.
func (e engine) restart(t *testing.T) {
	dir, err := os.MkdirTemp("/var/lib", "limpet-engine") // where an engine can have its layers
	require.NoError(t, err)
	host := "unix://" + dir + "/docker.sock"
	start := func() *exec.Cmd {
		// In a network of its own, so that it does not take the bridge of the other engine away.
		cmd := exec.Command("unshare", "--net", "dockerd", "--host", host, "--data-root", dir+"/data", "--exec-root", dir+"/exec", "--pidfile", dir+"/pid",
			"--bridge", "none", "--iptables=false", "--ip-masq=false")
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool {
			_, err := docker.Ping(t.Context(), host)
			return err == nil
		}, time.Minute, 100*time.Millisecond)
		return cmd
	}
	stop := func(cmd *exec.Cmd) {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait() // as it was told
	}
	running := start()
	defer func() {
		stop(running)
		require.NoError(t, os.RemoveAll(dir))
	}()
	require.NoError(t, exec.Command("bash", "-c", `docker save "$1" | docker -H "$2" load`, "load", e.image, host).Run())
	s := e.open(t, docker.Config{Host: host})
	require.NoError(t, s.WriteFile(t.Context(), "log", nil, 0o666))
	failed := make(chan error, 1)
	go func() {
		_, err := s.Exec(t.Context(), limpet.Request{Script: "echo once >> log; sleep 1000"})
		failed <- err
	}()
	require.Eventually(t, func() bool {
		data, err := s.ReadFile(t.Context(), "log")
		return err == nil && string(data) == "once\n"
	}, 30*time.Second, 50*time.Millisecond)
	stop(running)
	running = start()
	select {
	case err := <-failed:
		require.ErrorContains(t, err, "what the script has done is not known")
	case <-time.After(time.Minute):
		require.FailNow(t, "it hangs")
	}
	_, err = s.Exec(t.Context(), limpet.Request{Script: "echo twice >> log"})
	require.Error(t, err, "the container has ended")
	data, err := s.ReadFile(t.Context(), "log")
	require.NoError(t, err, "the directory is of this machine")
	require.Equal(t, "once\n", string(data))
	require.NoError(t, s.Close())
	left, err := exec.Command("docker", "-H", host, "ps", "-aq").Output()
	require.NoError(t, err)
	require.Empty(t, string(left))
}
