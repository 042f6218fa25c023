import { writeFileSync } from 'node:fs';
import type { Report } from '../report/report.ts';
import { BRING_TOGETHER, RECREATE_IN_PLACE, UNDER_SERVER_SIDE_APPLY, WRITE_AT_ONCE } from '../rules/remedy.ts';
import type { ChangedDeployment, EditedFile, Edits } from './fix-files.ts';
import { shellWord } from './shell-word.ts';

/** The input as it was judged, and what would end its findings. */
export interface Linted {
  readonly report: Report;
  readonly edits: () => Edits;
}

/** A change can make room for another one where manifests share text by an anchor. Each takes a round, and none is endless. */
const MOST_ROUNDS = 10;

/** Writes what ends the findings, judges again, and goes on until there is nothing more to write. */
export async function written(run: () => Promise<Linted>): Promise<Report> {
  const changed: EditedFile[] = [];
  for (let round = 1; ; round++) {
    const { report, edits } = await run();
    const { files, notes } = edits();
    if (files.length === 0 || round > MOST_ROUNDS)
      return { ...report, notes: [...report.notes, ...fixed(changed), ...stepsAfter(changed), ...notes] };
    for (const { file, after } of files) writeFileSync(file, after);
    changed.push(...files);
  }
}

function fixed(files: readonly EditedFile[]): readonly string[] {
  return [...new Set(files.map(({ file }) => `fixed ${file}`))];
}

/** What the change of a manifest leaves to do or to know: a line for each namespace to patch, and one for all that is brought together. */
export function stepsAfter(files: readonly EditedFile[]): readonly string[] {
  const changed = files.flatMap((file) => file.changed);
  const recreated = Map.groupBy(
    changed.filter(({ mutation }) => mutation === 'recreate'),
    ({ namespace }) => namespace,
  );
  const together = namesOf(changed.filter(({ mutation }) => mutation === 'pod-affinity'));
  return [
    ...[...recreated].map(([namespace, some]) => `${UNDER_APPLY} ${patchOf(namespace, namesOf(some))}`),
    ...(together === '' ? [] : [`${together}: ${WITH_AFFINITY}`]),
  ];
}

const UNDER_APPLY = `${UNDER_SERVER_SIDE_APPLY} this has run:`;

/** What names no namespace goes where kubectl is, as the manifest does. */
function patchOf(namespace: string | undefined, names: string): string {
  return [RECREATE_IN_PLACE, ...(namespace === undefined ? [] : ['-n', shellWord(namespace)]), names].join(' ');
}

const WITH_AFFINITY =
  `${WRITE_AT_ONCE}, and the program must bear that; ` +
  `affinity does not bring together pods that run apart already: ${BRING_TOGETHER}`;

function namesOf(changed: readonly ChangedDeployment[]): string {
  return [...new Set(changed.map(({ name }) => shellWord(name)))].join(' ');
}
