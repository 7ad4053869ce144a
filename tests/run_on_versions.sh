#!/usr/bin/env bash
# Runs the tests on other TensorFlow versions, each in an environment of its own.
#   tests/run_on_versions.sh [VERSION …] [-- PYTEST ARGUMENTS …]
set -euo pipefail
cd "$(dirname "$0")/.."
versions=()
while [ $# -gt 0 ] && [ "$1" != "--" ]; do
  versions+=("$1")
  shift
done
[ $# -gt 0 ] && shift
[ ${#versions[@]} -gt 0 ] || versions=(2.16.2 2.18.1)
failed=()
for version in "${versions[@]}"; do
  environment=".venv-tf$version"
  python3 -m venv "$environment"
  "$environment/bin/python" -m pip install --quiet -e '.[dev,notebooks,docs]' \
    "tensorflow==$version" "tf-keras==${version%.*}.*"
  echo "TensorFlow $version"
  "$environment/bin/python" -m pytest "$@" || failed+=("$version")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "failed on: ${failed[*]}" >&2
  exit 1
fi
