import { isObjectName } from '../objects/object-key.ts';
import { readMore } from '../rules/address.ts';
import type { Finding, FoundObject } from '../rules/evaluate.ts';
import { IGNORE_ANNOTATION } from '../rules/exemption.ts';
import { ruleIdsOf } from '../rules/one-cause.ts';
import { RECREATE_IN_PLACE } from '../rules/remedy.ts';
import { inWords } from './message.ts';
import { bytesIn, shown } from './shown.ts';

/** What a refused request may have to read, in bytes. */
export const MOST_OF_DENIAL = 2_048;

/** Bytes of how it comes about: room for two names of claims as long as they may be. */
const MOST_OF_WHY = 700;

/** What a denial says beside its findings. */
export interface Refusal {
  /** Whether objects may exempt themselves. */
  readonly exemptions: boolean;
  /** Whether an object that exists was sent by server-side apply, which leaves in place what it does not name. */
  readonly overwrites: boolean;
}

/**
 * What a refused request gets to read, in short lines that kubectl prints as they are: for each finding what is wrong, why, and
 * what helps this object, and at the end how to pass all the same and where to read on. What has no room is counted.
 */
export function denialOf(denied: readonly [Finding, ...Finding[]], refusal: Refusal): readonly string[] {
  const end = endOf(denied, refusal.exemptions);
  const [first, ...others] = denied;
  const lines = [...findingLines(first, refusal)];
  let left = MOST_OF_DENIAL - bytesOf([...lines, ...end]) - ROOM_FOR_MORE;
  for (const [index, finding] of others.entries()) {
    const more = findingLines(finding, refusal);
    left -= bytesOf(more);
    if (left < 0) return [...lines, `  and ${others.length - index} more of them`, ...end];
    lines.push(...more);
  }
  return [...lines, ...end];
}

/** `  and 4294967295 more of them`, and what a list keeps free for such a line of its own. */
const ROOM_FOR_MORE = 64;

function findingLines(finding: Finding, { overwrites }: Refusal): readonly string[] {
  const { object, fix, or, why } = finding;
  return [
    `${subjectOf(finding)} ${finding.reason} [${ruleIdsOf(finding).join(', ')}]`,
    `  why:  ${shown(why, MOST_OF_WHY)}`,
    `  fix:  ${fix.written}`,
    ...(overwrites && fix.recreates ? inPlace(object) : []),
    ...(or === undefined ? [] : [`  or:   ${or}`]),
  ];
}

/** A claim is what was refused, also where it is a workload that cannot have it as it is. */
function subjectOf({ object, arrived }: Finding): string {
  if (arrived === undefined) return `${inWords(object)}:`;
  return `${inWords(arrived)} refused: ${inWords({ ...object, namespace: '' })} mounts it, and`;
}

/**
 * What has to come first under server-side apply, which leaves the defaulted rollingUpdate in the object, where the API server
 * refuses it (`pkg/apis/apps/validation/validation.go:ValidateDeploymentStrategy`). The line is made to be run, so that only
 * names as Kubernetes has them are in it.
 */
function inPlace({ kind, namespace, name }: FoundObject): readonly string[] {
  if (kind !== 'Deployment' || !isObjectName(namespace) || !isObjectName(name)) return [];
  return [
    '        server-side apply accepts Recreate only after this:',
    `        ${RECREATE_IN_PLACE} -n ${namespace} deployment/${name}`,
  ];
}

function endOf(denied: readonly Finding[], exemptions: boolean): readonly string[] {
  const ids = [...new Set(denied.flatMap(ruleIdsOf))];
  const either = denied.some(({ arrived }) => arrived !== undefined) ? ' on either of the two' : '';
  return [
    ...(exemptions ? [`  skip: annotation ${IGNORE_ANNOTATION}: "${ids.join(', ')}: <reason>"${either}`] : []),
    `  more: ${readMore(ids)}`,
  ];
}

/** With the ends of the lines. */
function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + bytesIn(line) + 1, 0);
}
