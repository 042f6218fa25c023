#!/usr/bin/env bash
# Runs rwo-guard from this checkout, for the GitHub action and for pre-commit, both of which clone the ref that is
# wanted. The first run builds it. Node comes with the development dependencies where they have it (Linux).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
[ -f "$root/dist/rwo-guard.js" ] || (cd "$root" && npm run --silent build) >&2
PATH="$root/node_modules/.bin:$PATH" exec node "$root/dist/rwo-guard.js" "$@"
