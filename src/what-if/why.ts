import type { Wait } from '../forecast/why-pods-wait.ts';
import type { ComeUp } from './come-up.ts';

/** In one clause why pods do not come up; each reason once. */
export function whyNot({ waits, open }: ComeUp): string {
  const said = [...new Set(waits.map(inWords)), ...new Set(open)];
  if (said.length > 0) return said.slice(0, MOST_SAID).join('; ');
  return 'no other node takes it: selectors, taints, cordons or what it requests leave none';
}

const MOST_SAID = 3;

function inWords({ cause, claims }: Wait): string {
  const named = claims.length === 0 ? 'its volume' : claims.map((claim) => `claim ${claim}`).join(', ');
  switch (cause) {
    case 'volume-elsewhere':
      return `${named} is attached to another node (Multi-Attach)`;
    case 'one-pod':
      return `${named} lets one pod in, and another one has it`;
    case 'no-node-left':
      return claims.length === 0
        ? 'other pods keep it off every node that is left'
        : `${named} leaves it only nodes that other pods keep it off`;
    case 'too-few-nodes':
      return 'each pod needs a node or a zone of its own, and too few are left';
    case 'others-elsewhere':
      return 'it has to be with pods of others that are where it may not be';
    case 'out-of-reach':
      return `no node that is left can use the volume of ${named}`;
    case 'being-deleted':
      return `${named} is being deleted, and takes no new pod`;
    default:
      return cause satisfies never;
  }
}
