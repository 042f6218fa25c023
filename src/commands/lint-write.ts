import { writeFileSync } from 'node:fs';
import type { Report } from '../report/report.ts';
import { RECREATE_IN_PLACE } from '../rules/remedy.ts';
import type { EditedFile, Edits } from './lint-edit.ts';

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
      return { ...report, notes: [...report.notes, ...notesOn(changed), ...notes] };
    for (const { file, after } of files) writeFileSync(file, after);
    changed.push(...files);
  }
}

function notesOn(changed: readonly EditedFile[]): readonly string[] {
  const files = new Set(changed.map(({ file }) => `fixed ${file}`));
  const recreated = new Set(changed.flatMap((file) => file.recreated));
  if (recreated.size === 0) return [...files];
  const under = 'under server-side apply (Helm 4, Flux, Argo CD) an existing Deployment first needs';
  return [...files, `${under} ${RECREATE_IN_PLACE} ${[...recreated].join(' ')}`];
}
