#!/bin/sh
# The whole thing on the shipped sample: one coordinator and three workers on a mock backend, then the proof. Ends with 0 when
# `rollout verify` holds. The sample has eight bad lines on purpose, so the run itself ends with 1: "done, and some items failed".
set -u
cd "$(dirname "$0")/.." || exit 1
output=tmp/answers.jsonl
rollout() { node runtime/cli.js "$@"; }
mkdir -p tmp
# What an earlier demo left; a real run would be kept, and gone on with.
rm -rf "$output" "$output".*

rollout run examples/sample.jsonl --output "$output" --backend mock --mock-latency 300ms --workers 3 --concurrency 8
code=$?
if [ "$code" -ne 0 ] && [ "$code" -ne 1 ]; then
  echo "demo: the run ended with $code" >&2
  exit "$code"
fi

echo
echo "The run ended with $code: eight of the sample's lines are bad on purpose, and are recorded as failed:"
head -n 3 "$output.errors.jsonl" | cut -c 1-160
echo
echo "Now the proof that each input line is in exactly one of the two files:"
rollout verify --state "$output.rollout" || exit $?
echo
echo "results: $output"
echo "errors:  $output.errors.jsonl"
