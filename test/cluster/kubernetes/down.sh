#!/bin/bash
# Ends what up.sh and node.sh started, by pid file, and takes back what they set up on this machine.
# Keeps keys, logs, disks and etcd's data; with --wipe removes them too.
. "$(dirname "$0")/lib.sh"

[ -n "${CLUSTER_LOCKED:-}" ] || lock
if [ -e "$RUN/holder" ]; then
  read_holder
  if [ "$holder" != 0 ] && [ "$holder" != "${CLUSTER_HOLDER:-0}" ] && holder_lives; then die "the cluster is not ended: $(holder_words)"; fi
fi
mkdir -p "$RUN/pids"
for ((i = 1; i <= MAX_NODES; i++)); do
  [ ! -d "$RUN/node$i" ] || "$HERE/node.sh" kill "node$i"
done
for name in provisioner coredns kube-proxy kube-scheduler kube-controller-manager; do stop "$name"; done
stop kube-apiserver KILL # asked politely, it waits in vain for the connections of the nodes that are gone
stop etcd
unwire cp
ip link del "$BRIDGE" 2>/dev/null || true
for range in "$NET.0/24" "$PODS.0.0/16" "$SERVICES"; do
  ip route del unreachable "$range" metric 4000 2>/dev/null || true
done
for h in $(hierarchies); do [ ! -d "$h/$CGROUP" ] || rmdir "$h/$CGROUP"; done
rm -f "$RUN/holder"
[ "${1:-}" != --wipe ] || rm -rf "$RUN"
