#!/bin/bash
# First process of a node, in the node's own namespaces; started by node.sh.
. "$(dirname "$0")/lib.sh"

name=$1 address=$2
dir=$RUN/$name
hostname "$name"

# The node's own /var and /run, seen by nobody else. (What is mounted in /run/netns are the networks of the
# other machines: held here they would outlive their owners.)
umount --lazy --recursive /run/netns
mount --make-rshared /
mount --bind "$dir/var" /var
mount -t tmpfs -o mode=755 tmpfs /run
ln -sfn /run /var/run
mkdir -p /run/lock

# kubelet wants some kernel settings, some of them unfit for a machine that does other things too (to reboot
# on a kernel oops, say). It is shown those that it wants; they are not set.
want() { echo "$2" >"/run/want-$1"; mount --bind "/run/want-$1" "/proc/sys/${1//.//}"; }
want vm.overcommit_memory 1
want vm.panic_on_oom 0
want kernel.panic 10
want kernel.panic_on_oops 1
want kernel.random.boot_id "$(cat /proc/sys/kernel/random/uuid)" # each start of a node is a boot

# each NAME COMMAND...: keep it running, as an init system would
each() {
  local log=$RUN/logs/$name.$1.log
  shift
  while true; do
    "$@" >>"$log" 2>&1 || true
    sleep 1
  done
}
each containerd containerd --config "$dir/containerd.toml" &
until ctr version >/dev/null 2>&1; do sleep 0.1; done
each kubelet kubelet --config="$dir/kubelet.yaml" --kubeconfig="$RUN/pki/$name.kubeconfig" \
  --hostname-override="$name" --node-ip="$address" --node-labels="${CLUSTER_LABELS:-}" &
each kube-proxy kube-proxy --config="$dir/kube-proxy.yaml" &
wait
