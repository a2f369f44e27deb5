#!/bin/bash
# Builds programs from the Go modules that a go.mod pins, unless they are there, and prints the folder that has them:
#   build.sh                 Kubernetes, etcd, CoreDNS and Helm (tools/), and the pause image
#   build.sh cert-manager    cert-manager and its CRDs (tools-cert-manager/)
#   build.sh where           nothing: the folder of the first, there or not
# The folder lies outside the tree and is called after what it is built from. What is under way is told on stderr.
. "$(dirname "$0")/lib.sh"

TELL_EVERY=15  # seconds
UNUSED_DAYS=30 # what was not asked for in so many days is removed

case ${1:-} in
where) echo "$BIN"; exit ;;
cert-manager) tools=tools-cert-manager out=$CACHE/cert-manager-$(key_of tools-cert-manager) ;;
'') tools=tools out=$BIN ;;
*) die "usage: build.sh [cert-manager | where]" ;;
esac

# A folder gets its name when all of it is there.
finish() { touch "$out"; echo "$out"; exit; }
[ ! -d "$out" ] || finish
command -v go >/dev/null || die "Go is missing: install it from https://go.dev/dl (tools/go.mod says which one)"
command -v gcc >/dev/null || die "gcc is missing"

mkdir -p "$(dirname "$out")"
exec 9>"$(dirname "$out")/lock"
flock --nonblock 9 || { say 'another build is under way; waiting for it'; flock 9; }
[ ! -d "$out" ] || finish
rm -rf "$out".?????? # what a build left that was killed
new=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$new"' EXIT
began=$SECONDS

# told WHAT LOG COMMAND [ARG]...: its stderr goes to LOG, of which the last line and the number of lines are told now and then
told() {
  local what=$1 log=$2 next=$((SECONDS + TELL_EVERY)) pid
  shift 2
  "$@" 2>"$log" 9>&- &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.3
    if [ "$SECONDS" -ge "$next" ]; then
      say "$((SECONDS - began)) s: $what, $(wc -l <"$log") so far: $(tail -n 1 "$log")"
      next=$((next + TELL_EVERY))
    fi
  done
  wait "$pid" || { tail -n 30 "$log" >&2; die "$what: failed after $((SECONDS - began)) s"; }
}

say "building $tools with $(cd "$HERE/$tools" && go env GOVERSION): minutes, unless Go has it in its own cache"
cd "$HERE/$tools"
list() { go list -deps ./cmd/... >"$new/packages"; }
told 'fetching modules' "$new/log" list
total=$(wc -l <"$new/packages")

flags='-s -w'
if [ "$tools" = tools ]; then
  version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
  IFS=. read -r major minor _ <<<"${version#v}"
  stamp=k8s.io/component-base/version
  flags+=" -X $stamp.gitVersion=$version -X $stamp.gitMajor=$major -X $stamp.gitMinor=$minor -X $stamp.gitTreeState=clean"
fi
told "compiling up to $total packages" "$new/log" \
  env CGO_ENABLED=0 go build -v -trimpath -buildvcs=false -o "$new/" -ldflags "$flags" ./cmd/...

if [ "$tools" = tools ]; then
  for program in etcd helm kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubectl kubelet; do
    ln -s kube "$new/$program"
  done
  mkdir "$new/image"
  gcc -static -Os -s -o "$new/image/pause" "$HERE/pause.c"
  "$HERE/mkimage.sh" localhost/pause:1 "$new/pause.tar" '{"Entrypoint": ["/pause"]}' "$new/image"
  rm -r "$new/image"
else
  cp -r "$(go list -m -f '{{.Dir}}' github.com/cert-manager/cert-manager)/deploy/crds" "$new/crds"
  chmod -R u+w "$new/crds"
fi
rm "$new/packages" "$new/log"
chmod 755 "$new"
mv "$new" "$out"
find "$(dirname "$out")" -mindepth 1 -maxdepth 1 -type d -mtime +$UNUSED_DAYS -exec rm -rf {} +
times >"$out/times" # the second line is of all processes that were waited for: user and system time
say "built in $((SECONDS - began)) s, $(tail -n 1 "$out/times" | tr ' ' '+') of CPU: $(du -sh "$out" | cut -f1) in $out"
finish
