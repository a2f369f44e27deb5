#!/bin/bash
# Kills one program of the control plane, as a crash would: stop.sh kube-apiserver. up.sh starts it again.
. "$(dirname "$0")/lib.sh"
lock
stop "$1" KILL
