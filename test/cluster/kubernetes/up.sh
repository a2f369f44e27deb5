#!/bin/bash
# Starts the cluster, or what is missing of it, and waits until it is ready.
#   CLUSTER_NUMBER     which cluster of this machine: 0 or 1, default 0
#   CLUSTER_NODES      how many nodes are wanted: default 1, and 0 for the control plane alone
#   CLUSTER_HOLDER     the process whose cluster it is, which ends it with down.sh; none: it runs until somebody does
#   CLUSTER_GRACE      seconds without a sign of life until a node counts as lost: default 15 (Kubernetes: 50)
#   CLUSTER_TOLERATION seconds that pods stay bound to a lost node, unless they say otherwise: default 300
#   CLUSTER_LABELS     labels of the nodes that are started, a=b,c=d
#   CLUSTER_KUBELET    more lines of kubelet configuration for them
#   CLUSTER_IMAGES     files of images that are put into them
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || die 'a cluster needs root: it makes network namespaces, cgroups and mounts'
[ -x "$BIN/kube" ] || die "there is no $BIN/kube: run build.sh first"
lock
export CLUSTER_LOCKED=1

# A cluster belongs to a process, and to the tree that it was started from.
tree=$(cd "$HERE/../../.." && pwd)
key=$(basename "$BIN")
if [ -e "$RUN/holder" ]; then
  read_holder
  if ! anything_runs || ! holder_lives; then
    say "the cluster of $holder_tree has nobody any more: it is ended"
    "$HERE/down.sh" --wipe
  elif [ "$holder" != "${CLUSTER_HOLDER:-0}" ] && [ "$holder" != 0 ] || [ "$holder_tree" != "$tree" ]; then
    die "cluster $CLUSTER_NUMBER of this machine is in use: $(holder_words)"
  elif [ "$holder_key" != "$key" ]; then
    die "the cluster that runs here has other versions: end it first, with 'make cluster-down'"
  fi
fi
mkdir -p -m 700 "$RUN"
[ -O "$RUN" ] && [ ! -L "$RUN" ] || die "$RUN is somebody else's"
[ -e "$RUN/holder" ] || { echo "${CLUSTER_HOLDER:-0} $(start_time "${CLUSTER_HOLDER:-0}")"; echo "$key"; echo "$tree"; } >"$RUN/holder"

mkdir -p "$RUN"/{pids,logs,etcd,volumes}
chmod 700 "$RUN/etcd"
began=$(date +%s%N)
PKI=$RUN/pki
"$HERE/pki.sh"

# The bridge, and routes to the pods and services. The 'unreachable' routes behind them see to it
# that nothing meant for the cluster ever leaves this machine, even when the bridge is gone.
for range in "$NET.0/24" "$PODS.0.0/16" "$SERVICES"; do
  ip route replace unreachable "$range" metric 4000
done
if ! ip link show "$BRIDGE" >/dev/null 2>&1; then
  ip link add "$BRIDGE" type bridge
  ip addr add "$NET.1/24" dev "$BRIDGE"
  ip link set "$BRIDGE" up
  ip route add "$SERVICES" via "$NET.2"
  for ((i = 1; i <= MAX_NODES; i++)); do ip route add "$PODS.$i.0/24" via "$NET.1$i"; done
fi
wire cp "$NET.2"

# program NAME COMMAND [ARG]...: in the control plane's network, unless it runs already
program() {
  local name=$1
  shift
  pid_of "$name" >/dev/null || spawn "$name" nsenter --net="/run/netns/$PREFIX-cp" -- "$@"
}

program etcd "$BIN/etcd" --name=rkube --data-dir="$RUN/etcd" --unsafe-no-fsync --log-level=warn \
  --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
  --listen-peer-urls=http://127.0.0.1:2380 --initial-advertise-peer-urls=http://127.0.0.1:2380 \
  --initial-cluster=rkube=http://127.0.0.1:2380
until_ok 30 etcd in_net cp curl -sf http://127.0.0.1:2379/health

cp "$HERE/audit.yaml" "$RUN/audit.yaml"
program kube-apiserver "$BIN/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 \
  --bind-address=0.0.0.0 --advertise-address="$NET.2" --secure-port=6443 \
  --service-cluster-ip-range="$SERVICES" --allow-privileged \
  --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
  --client-ca-file="$PKI/ca.crt" \
  --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" \
  --kubelet-client-certificate="$PKI/apiserver-kubelet-client.crt" --kubelet-client-key="$PKI/apiserver-kubelet-client.key" \
  --kubelet-certificate-authority="$PKI/ca.crt" --kubelet-preferred-address-types=InternalIP \
  --service-account-issuer=https://kubernetes.default.svc.cluster.local \
  --service-account-signing-key-file="$PKI/service-accounts.key" --service-account-key-file="$PKI/service-accounts.pub" \
  --requestheader-client-ca-file="$PKI/front-proxy-ca.crt" --requestheader-allowed-names=front-proxy-client \
  --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
  --requestheader-extra-headers-prefix=X-Remote-Extra- \
  --proxy-client-cert-file="$PKI/front-proxy-client.crt" --proxy-client-key-file="$PKI/front-proxy-client.key" \
  --audit-policy-file="$RUN/audit.yaml" --audit-log-path="$RUN/logs/audit.log" --audit-log-maxsize=100 --audit-log-maxbackup=1 \
  --default-not-ready-toleration-seconds="${CLUSTER_TOLERATION:-300}" \
  --default-unreachable-toleration-seconds="${CLUSTER_TOLERATION:-300}"
# The nodes start meanwhile; they wait for the API by themselves.
for ((i = 1; i <= NODES; i++)); do "$HERE/node.sh" start "node$i" & done
until_ok 90 kube-apiserver kubectl get --raw /readyz

program kube-controller-manager "$BIN/kube-controller-manager" --kubeconfig="$PKI/kube-controller-manager.kubeconfig" \
  --authentication-kubeconfig="$PKI/kube-controller-manager.kubeconfig" \
  --authorization-kubeconfig="$PKI/kube-controller-manager.kubeconfig" \
  --use-service-account-credentials --leader-elect=false --bind-address=127.0.0.1 \
  --root-ca-file="$PKI/ca.crt" --service-account-private-key-file="$PKI/service-accounts.key" \
  --cluster-signing-cert-file="$PKI/ca.crt" --cluster-signing-key-file="$PKI/ca.key" \
  --requestheader-client-ca-file="$PKI/front-proxy-ca.crt" \
  --node-monitor-period=2s --node-monitor-grace-period="${CLUSTER_GRACE:-15}s"
program kube-scheduler "$BIN/kube-scheduler" --kubeconfig="$PKI/kube-scheduler.kubeconfig" \
  --authentication-kubeconfig="$PKI/kube-scheduler.kubeconfig" \
  --authorization-kubeconfig="$PKI/kube-scheduler.kubeconfig" --leader-elect=false --bind-address=127.0.0.1

# The control plane's kube-proxy lets the API server and this machine reach services by address.
sed "s/DNS_SERVICE/$DNS_SERVICE/; s/CONTROL_PLANE/$NET.2/" "$HERE/addons.yaml" | kubectl apply --server-side --force-conflicts -f - >/dev/null
CONFIG=$RUN/cp
mkdir -p "$CONFIG"
"$HERE/proxy-config.sh" cp >"$CONFIG/kube-proxy.yaml"
if ! pid_of kube-proxy >/dev/null; then
  # kube-proxy waits half a minute for the Node that it runs on; show it one and take it away again.
  kubectl delete node cp --ignore-not-found >/dev/null
  echo '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "cp"}, "spec": {"unschedulable": true},
    "status": {"addresses": [{"type": "InternalIP", "address": "'"$NET.2"'"}]}}' | kubectl create -f - >/dev/null
  program kube-proxy "$BIN/kube-proxy" --config="$CONFIG/kube-proxy.yaml"
  until_ok 60 kube-proxy in_net cp curl -sf http://127.0.0.1:10256/livez
  kubectl delete node cp >/dev/null
fi
cat >"$CONFIG/Corefile" <<EOF
.:53 {
  bind $NET.2
  errors
  ready 127.0.0.1:8181
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig $PKI/coredns.kubeconfig
    ttl 5
  }
  cache 5
  loadbalance
}
EOF
program coredns "$BIN/coredns" -conf "$CONFIG/Corefile"
pid_of provisioner >/dev/null || spawn provisioner "$tree/node_modules/.bin/node" "$HERE/provisioner.ts"

until_ok 60 kube-controller-manager in_net cp curl -skf https://127.0.0.1:10257/healthz
until_ok 60 kube-scheduler in_net cp curl -skf https://127.0.0.1:10259/healthz
until_ok 60 'service accounts' kubectl -n default get serviceaccount default
until_ok 60 DNS in_net cp curl -sf http://127.0.0.1:8181/ready
wait
for ((i = 1; i <= NODES; i++)); do
  until_ok 60 "kubelet of node$i" "$HERE/node.sh" enter "node$i" curl -sf http://127.0.0.1:10248/healthz
  until_ok 120 "node$i" kubectl wait --for=condition=Ready --timeout=1s "node/node$i"
done
pid_of provisioner >/dev/null || die "the provisioner of volumes has ended; it runs on the Node that 'npm ci' installs. Its log: $RUN/logs/provisioner.log"
say "ready after $((($(date +%s%N) - began) / 1000000)) ms, $NODES node(s); KUBECONFIG=$KUBECONFIG"
