#!/bin/bash
# Makes the cluster's keys and certificates in $RUN/pki, once; elliptic keys, so it takes a second or two.
. "$(dirname "$0")/lib.sh"

umask 077
PKI=$RUN/pki
mkdir -p "$PKI"
cd "$PKI"

authority() { # authority NAME
  [ -s "$1.crt" ] && return
  openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
  openssl req -x509 -new -sha256 -key "$1.key" -days 3650 -subj "/CN=$1" -out "$1.crt" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,digitalSignature,keyCertSign
}
# certificate FILE AUTHORITY SUBJECT [SUBJECT_ALT_NAME]
certificate() {
  [ -s "$1.crt" ] && return
  openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
  openssl req -new -sha256 -key "$1.key" -subj "$3" |
    openssl x509 -req -sha256 -days 3650 -CA "$2.crt" -CAkey "$2.key" -set_serial "0x$(openssl rand -hex 16)" -out "$1.crt" \
      -extfile <(
        echo keyUsage=critical,digitalSignature
        echo extendedKeyUsage=clientAuth,serverAuth
        [ -z "${4:-}" ] || echo "subjectAltName=$4"
      ) 2>/dev/null
}
# kubeconfig FILE CERTIFICATE
kubeconfig() {
  cat >"$1.new" <<EOF
apiVersion: v1
kind: Config
clusters:
- name: rkube
  cluster: {server: "$API", certificate-authority-data: $(base64 -w0 ca.crt)}
users:
- name: $2
  user: {client-certificate-data: $(base64 -w0 "$2.crt"), client-key-data: $(base64 -w0 "$2.key")}
contexts:
- name: rkube
  context: {cluster: rkube, user: $2}
current-context: rkube
EOF
  mv "$1.new" "$1"
}

case ${1:-cluster} in
cluster)
  authority ca
  authority front-proxy-ca
  certificate apiserver ca /CN=kube-apiserver "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:127.0.0.1,IP:$API_SERVICE,IP:$NET.2"
  certificate apiserver-kubelet-client ca /O=system:masters/CN=kube-apiserver-kubelet-client
  certificate front-proxy-client front-proxy-ca /CN=front-proxy-client
  certificate admin ca /O=system:masters/CN=admin
  for name in kube-controller-manager kube-scheduler kube-proxy coredns; do
    certificate "$name" ca "/CN=system:$name"
    kubeconfig "$name.kubeconfig" "$name"
  done
  [ -s service-accounts.key ] || openssl ecparam -name prime256v1 -genkey -noout -out service-accounts.key
  [ -s service-accounts.pub ] || openssl ec -in service-accounts.key -pubout -out service-accounts.pub 2>/dev/null
  kubeconfig "$KUBECONFIG" admin
  ;;
node) # node NAME ADDRESS
  certificate "$2" ca "/O=system:nodes/CN=system:node:$2" "DNS:$2,IP:$3"
  kubeconfig "$2.kubeconfig" "$2"
  ;;
esac
