import { basename, dirname } from 'node:path';
import type { Unreadable } from '../yaml/read-manifests.ts';
import { liesInChart } from '../yaml/templates.ts';
import type { InputPart, Skipped } from './input-part.ts';
import { shellWord } from './shell-word.ts';

/** What is wrong where the input has nothing but charts and kustomizations, of which nobody made manifests: green would hide it. */
export function unrendered({ manifests, unreadable, skipped }: InputPart): readonly Unreadable[] {
  const [first] = skipped.filter((part) => part.rendersBy !== undefined);
  if (first === undefined || unreadable.length > 0) return [];
  const files = [...new Set(manifests.map(({ file }) => file))];
  return files.every((file) => liesInChart(file))
    ? [{ file: first.file, line: 1, because: `${UNRENDERED}: run ${commandFor(first)}` }]
    : [];
}

const UNRENDERED = 'nothing was judged, for the input has only charts or kustomizations that were not rendered';

function commandFor({ file, rendersBy = 'helm template' }: Skipped): string {
  return `${rendersBy} ${shellWord(folderOf(file))} | rwo-guard lint -`;
}

/** The folder of the chart or of the kustomization. */
function folderOf(file: string): string {
  const chart = /^(.*?)\/?templates\//.exec(file)?.[1];
  return chart === undefined || basename(file) === 'Chart.yaml' ? dirname(file) : chart || '.';
}
