#!/bin/bash
# One node of the cluster:
#   node.sh start nodeN   start it, unless it runs; its disk, with images and volumes, is kept from before
#   node.sh kill nodeN    end it at once, like a machine that is taken away: no pod sees a signal but SIGKILL
#   node.sh enter nodeN COMMAND [ARG]...   run a command inside it
#   node.sh load nodeN IMAGE.tar           put an image into it, unless it has that very file's
. "$(dirname "$0")/lib.sh"

act=$1 name=$2
shift 2
[[ $name =~ ^node[1-$MAX_NODES]$ ]] || die "a node is called node1 to node$MAX_NODES"
number=${name#node}
address=$NET.1$number
dir=$RUN/$name

case $act in
start)
  pid_of "$name" >/dev/null && exit 0
  "$HERE/pki.sh" node "$name" "$address"
  wire "$name" "$address"
  rm -rf "$dir/var/run" "$dir/var/log/pods" "$dir/var/log/containers" "$dir/var/lib/cni" "$dir/var/lib/kubelet/pods"
  mkdir -p "$dir"/{cni,loaded,var/log,var/lib/kubelet,var/lib/containerd,var/tmp}
  make_cgroup "$name"
  "$HERE/proxy-config.sh" "$name" >"$dir/kube-proxy.yaml"
  cat >"$dir/cni/10-pods.conflist" <<JSON
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "ptp", "mtu": 1500,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$PODS.$number.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}
]}
JSON
  plugins=/usr/lib/cni # Debian's and Ubuntu's place; that of the plugins' own releases is the other one
  [ -d "$plugins" ] || plugins=/opt/cni/bin
  cat >"$dir/containerd.toml" <<TOML
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  # Root in a container may have no CAP_SYS_RESOURCE, and then no process may get a lower OOM score.
  restrict_oom_score_adj = true
  disable_hugetlb_controller = true
  tolerate_missing_hugetlb_controller = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$plugins"
    conf_dir = "$dir/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
TOML
  echo "nameserver $DNS_SERVICE" >"$dir/resolv.conf"
  cat >"$dir/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $RUN/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $RUN/pki/$name.crt
tlsPrivateKeyFile: $RUN/pki/$name.key
clusterDomain: cluster.local
clusterDNS: [$DNS_SERVICE]
resolvConf: $dir/resolv.conf
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
# Works with cgroup v1 too, which kubelet refuses by default since 1.35, and without systemd.
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP/$name
oomScoreAdj: 0
failSwapOn: false
makeIPTablesUtilChains: false
# Never evict or collect for a full disk: the disk is the machine's, not the node's.
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 0%, nodefs.inodesFree: 0%, imagefs.available: 0%}
# A sign of life every 3 s (a quarter of the lease) lets CLUSTER_GRACE be short.
nodeLeaseDurationSeconds: 12
nodeStatusUpdateFrequency: 4s
${CLUSTER_KUBELET:-}
YAML
  # The first process of the PID namespace dies with 'unshare' (--kill-child), and with it the whole node.
  spawn "$name" nsenter --net="/run/netns/$PREFIX-$name" -- \
    unshare --pid --fork --kill-child --mount --uts --ipc --mount-proc -- "$HERE/node-init.sh" "$name" "$address"
  until_ok 30 "containerd of $name" "$0" enter "$name" ctr -n k8s.io version
  for image in "$BIN/pause.tar" ${CLUSTER_IMAGES:-}; do "$0" load "$name" "$image"; done
  ;;
kill)
  stop "$name" KILL
  remove_cgroups "$name"
  unwire "$name"
  ;;
enter)
  pid=$(pid_of "$name") || die "$name does not run"
  exec nsenter --all --target "$(tr -d ' ' <"/proc/$pid/task/$pid/children")" -- "$@"
  ;;
load)
  # A node has one image of a name: what was loaded last.
  image=$(tar -xOf "$1" --occurrence=1 manifest.json | sed -n 's/.*"RepoTags": \["\([^"]*\)".*/\1/p')
  stamp=$dir/loaded/${image//\//_} file=$(stat -Lc '%n %s %Y' "$1")
  [ "$(cat "$stamp" 2>/dev/null)" != "$file" ] || exit 0
  "$0" enter "$name" ctr -n k8s.io images import "$1" >/dev/null
  echo "$file" >"$stamp"
  ;;
*) die "no such act: $act" ;;
esac
