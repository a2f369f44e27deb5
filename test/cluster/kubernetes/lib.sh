# Names, addresses and functions of the scripts in this folder. Sourced, not run.
#
# The cluster lives in network namespaces of its own, joined by one bridge:
#
#   this machine     10.250.0.1   ($BRIDGE, by which tests and kubectl reach everything)
#   rkube0-cp        10.250.0.2   etcd, kube-apiserver, -controller-manager, -scheduler, -proxy, DNS
#   rkube0-node1..9  10.250.0.1N  containerd, kubelet, kube-proxy; pods in 10.244.N.0/24
#
# That is cluster 0. A machine may have two: the other one, cluster 1, is rkube1 in 10.250.1.0/24 with pods in 10.245.0.0/16.
#
# A node also has PID, mount, UTS and IPC namespaces of its own: when its first process ends, the kernel
# ends the whole node at once, pods included.

set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/rollout-cluster

# What is built follows from these files. Raise the number when build.sh makes something else of them.
key_of() { # key_of FOLDER
  (cd "$HERE" && echo "1 $(uname -m)" | cat - "$1"/go.mod "$1"/go.sum "$1"/cmd/*/*.go pause.c) | sha256sum | cut -c1-16
}

export CLUSTER_BIN=${CLUSTER_BIN:-$CACHE/$(key_of tools)}          # what build.sh makes
export CLUSTER_NUMBER=${CLUSTER_NUMBER:-0}                         # which cluster of this machine: 0 or 1
BIN=$CLUSTER_BIN
case $CLUSTER_NUMBER in # where its keys, logs, pid files and disks of nodes are
0) RUN=${TMPDIR:-/tmp}/rollout-cluster ;;
1) RUN=${TMPDIR:-/tmp}/rollout-cluster-1 ;;
*) echo "CLUSTER_NUMBER is $CLUSTER_NUMBER: a machine has the clusters 0 and 1" >&2; exit 1 ;;
esac
export CLUSTER_RUN=$RUN
NODES=${CLUSTER_NODES:-1} # how many nodes up.sh starts; 0: the control plane alone
export KUBECONFIG=$RUN/kubeconfig

PREFIX=rkube$CLUSTER_NUMBER # of network namespaces and their cables; with a name it fits into the 15 letters of a device
BRIDGE=$PREFIX
NET=10.250.$CLUSTER_NUMBER            # first three octets of the machines' /24
PODS=10.$((244 + CLUSTER_NUMBER))     # first two octets of the pods' /16
SERVICES=10.$((96 + CLUSTER_NUMBER)).0.0/16
API_SERVICE=${SERVICES%.0/16}.1
DNS_SERVICE=${SERVICES%.0/16}.10
API=https://$NET.2:6443
MAX_NODES=9
CGROUP=$PREFIX # parent of all cgroups of nodes

# Without the programs of npm packages, one of which is also called nft.
PATH=$BIN:$(printf %s "$PATH" | tr : '\n' | grep -v '/node_modules/\.bin$' | paste -sd :)
export PATH

say() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }
die() { say "$*"; exit 1; }

# One script at a time changes a cluster.
lock() {
  case $RUN in /var/* | /run/*) die "TMPDIR must not lie below /var or /run, which each node has of its own: $RUN" ;; esac
  exec 9>"$RUN.lock"
  flock 9
}

# A pid file holds "PID STARTTIME", so that a number used again is never mistaken for the process.
start_time() { # start_time PID: empty for a process that is gone, or dead and not yet reaped
  sed -n 's/.*) //; /^[ZX]/!p' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20
}
pid_of() { # pid_of NAME: the pid, if that very process still runs
  local pid at
  read -r pid at 2>/dev/null <"$RUN/pids/$1" || return 1
  [ -n "$at" ] && [ "$(start_time "$pid")" = "$at" ] && echo "$pid"
}
# spawn NAME COMMAND [ARG]...: run in the background, in a session of its own, with a log and a pid file
spawn() {
  local name=$1 pid
  shift
  setsid "$@" >>"$RUN/logs/$name.log" 2>&1 </dev/null 9>&- & # 9: the lock
  pid=$!
  disown "$pid"
  echo "$pid $(start_time "$pid")" >"$RUN/pids/$name"
}
# stop NAME [SIGNAL]: end it, by its pid file, and wait until it is gone
stop() {
  local pid i
  if pid=$(pid_of "$1"); then
    kill -"${2:-TERM}" "$pid" 2>/dev/null || true
    for ((i = 0; i < 150; i++)); do
      pid_of "$1" >/dev/null || break
      [ "$i" != 100 ] || kill -KILL "$pid" 2>/dev/null || true
      sleep 0.1
    done
  fi
  rm -f "$RUN/pids/$1"
}
anything_runs() {
  local file
  for file in "$RUN"/pids/*; do ! pid_of "$(basename "$file")" >/dev/null || return 0; done
  return 1
}

# Who has the cluster: three lines, "PID STARTTIME" of the process that ends it (0: somebody will by hand), the versions, the tree.
read_holder() {
  { read -r holder holder_at; read -r holder_key; read -r holder_tree; } <"$RUN/holder"
}
holder_lives() { [ "$holder" = 0 ] || [ "$(start_time "$holder")" = "$holder_at" ]; }
holder_words() {
  if [ "$holder" = 0 ]; then echo "one was started in $holder_tree: end it with 'make cluster-down'"; else echo "process $holder has one of $holder_tree: wait for its end"; fi
}

# until_ok SECONDS WHAT COMMAND [ARG]...
until_ok() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || die "gave up waiting for $what; its log is in $RUN/logs"
    sleep 0.2
  done
}
in_net() { local ns=$1; shift; nsenter --net="/run/netns/$PREFIX-$ns" -- "$@"; }

# wire NAME ADDRESS: a network namespace with eth0 on the bridge
wire() {
  local name=$1 address=$2 device=$PREFIX-$1 i
  in_net "$name" true 2>/dev/null && return
  unwire "$name"
  ip netns add "$device"
  ip link add "$device" type veth peer name eth0 netns "$device"
  ip link set "$device" master "$BRIDGE" up
  ip -n "$device" link set lo up
  ip -n "$device" addr add "$address/24" dev eth0
  ip -n "$device" link set eth0 up
  for ((i = 1; i <= MAX_NODES; i++)); do
    [ "$address" = "$NET.1$i" ] || ip -n "$device" route add "$PODS.$i.0/24" via "$NET.1$i"
  done
  in_net "$name" sysctl -qw net.ipv4.ip_forward=1
}
unwire() {
  ip link del "$PREFIX-$1" 2>/dev/null || true
  ip netns del "$PREFIX-$1" 2>/dev/null || true
}

# With cgroup v1 each hierarchy has a folder for the node; with v2 there is one tree.
hierarchies() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then echo /sys/fs/cgroup; else
    for h in /sys/fs/cgroup/*/; do [ ! -e "$h/cgroup.procs" ] || echo "${h%/}"; done
  fi
}
make_cgroup() { # make_cgroup NODE
  local h d
  for h in $(hierarchies); do
    for d in "$h" "$h/$CGROUP" "$h/$CGROUP/$1"; do
      mkdir -p "$d"
      # v2: what is below gets every controller that there is
      [ ! -e "$d/cgroup.subtree_control" ] || sed 's/\</+/g' "$d/cgroup.controllers" >"$d/cgroup.subtree_control"
      # v1: a new group may use no processor until it is told which
      if [ "$d" != "$h" ] && [ -e "$d/cpuset.cpus" ] && [ ! -e "$h/cgroup.controllers" ]; then
        cat "$d/../cpuset.cpus" >"$d/cpuset.cpus"
        cat "$d/../cpuset.mems" >"$d/cpuset.mems"
      fi
    done
  done
}
remove_cgroups() { # remove_cgroups NODE: its processes are gone; the kernel may take a moment with the last ones
  local h i
  for h in $(hierarchies); do
    for ((i = 0; i < 50; i++)); do
      [ -d "$h/$CGROUP/$1" ] || break
      find "$h/$CGROUP/$1" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [ ! -d "$h/$CGROUP/$1" ] || sleep 0.1
    done
  done
}
