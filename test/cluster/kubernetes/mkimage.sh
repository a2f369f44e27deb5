#!/bin/bash
# Packs folders as the layers of a container image, with no registry and no daemon:
#   mkimage.sh NAME:TAG OUT.tar CONFIG_JSON LAYER_FOLDER...
# CONFIG_JSON is the image's "config" (Entrypoint, Cmd, Env, User, WorkingDir). OUT.tar is what 'ctr images import' and
# 'docker load' take. Equal input gives equal output.
set -euo pipefail

name=$1 out=$2 config=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pack() { tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner "$@"; }

files=() layers=() digests=()
for folder in "$@"; do
  layer=layer${#layers[@]}.tar
  files+=("$layer")
  pack -C "$folder" -cf "$work/$layer" .
  layers+=("\"$layer\"")
  digests+=("\"sha256:$(sha256sum "$work/$layer" | cut -d' ' -f1)\"")
done
joined() { local IFS=,; echo "$*"; }
case $(uname -m) in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
cat >"$work/config.json" <<JSON
{"architecture": "$arch", "os": "linux", "created": "1970-01-01T00:00:00Z", "config": $config,
 "rootfs": {"type": "layers", "diff_ids": [$(joined "${digests[@]}")]}}
JSON
echo "[{\"Config\": \"config.json\", \"RepoTags\": [\"$name\"], \"Layers\": [$(joined "${layers[@]}")]}]" >"$work/manifest.json"
pack -C "$work" -cf "$out" manifest.json config.json "${files[@]}"
