import { dirname } from 'node:path';
import type { Manifest } from '../yaml/read-manifests.ts';
import type { Input } from './input.ts';
import type { InputObjects } from './input-objects.ts';
import type { LintSettings } from './settings.ts';

/** What there is to tell of the input that is no finding, one line each. */
export function notesAbout(input: Input, objects: InputObjects, settings: LintSettings): readonly string[] {
  const byReason = Map.groupBy(input.skipped, ({ because }) => because);
  const skipped = [...byReason].map(
    ([because, files]) => `skipped ${namesInWords(files.map(({ file }) => file))}: ${because}`,
  );
  const repeatedKeys = input.repeatedKeys.map(({ file, line, key, beginsObject }) =>
    beginsObject
      ? `${file}:${line}: two objects without --- between them; of each key the last one counts, as for kubectl and Helm`
      : `${file}:${line}: ${key} stands here a second time; the last one counts, as for kubectl and Helm`,
  );
  const refused = objects.refused.map(
    ({ file, line, positions }) =>
      `${file}:${positions('spec.strategy')?.line ?? line}: ${ROLLING_UPDATE_BESIDE_RECREATE}`,
  );
  const kinds = Map.groupBy(objects.notJudged, (kind) => kind);
  const others = [...kinds].map(([kind, found]) => `${found.length} of kind ${kind} not judged`);
  const tests = objects.helmTests > 0 ? [`${objects.helmTests} with helm.sh/hook: test not judged`] : [];
  const nothing = [input.manifests, input.unreadable, input.skipped].some(({ length }) => length > 0)
    ? []
    : [input.allExcluded ? ALL_EXCLUDED : NOTHING];
  const given = settings.nodesAsked && settings.nodesFile === undefined && objects.nodeCount > 0;
  const nodes = given ? [`--nodes does not count, because the input has ${objects.nodeCount} nodes`] : [];
  return [...skipped, ...basesInWords(input), ...repeatedKeys, ...refused, ...others, ...tests, ...nodes, ...nothing];
}

/** Told, as an overlay may mend what its base does, or break it. */
function basesInWords({ bases, manifests }: Input): readonly string[] {
  const folders = new Set(manifests.map(({ file }) => dirname(file)));
  const judged = bases.filter(({ folder }) => folders.has(folder));
  return [...Map.groupBy(judged, ({ folder }) => folder)].map(
    ([folder, some]) =>
      `${folder} is judged as it stands, and not as ${namesInWords(some.map(({ overlay }) => overlay))} changes it; lint what kustomize build prints`,
  );
}

/** The note about Nodes that do not count, if there are any. */
export function strayInWords(nodes: readonly Manifest[]): readonly string[] {
  if (nodes.length === 0) return [];
  const files = namesInWords([...new Set(nodes.map(({ file }) => file))]);
  const [does, they] = nodes.length === 1 ? ['Node does', 'it stands'] : ['Nodes do', 'they stand'];
  return [
    `${nodes.length} ${does} not count, because ${they} in a file without a workload: ${files}; name it by --nodes`,
  ];
}

const ROLLING_UPDATE_BESIDE_RECREATE =
  'the API server refuses rollingUpdate beside type: Recreate, except in namespaces labelled rwo-guard.dev/mutate; take it out';

/** Said aloud, because whatever should have printed manifests may have failed, and exit code 0 looks as if all were well. */
const NOTHING =
  'there is no Kubernetes object in the input; of folders, .yaml, .yml and .json files are read, but for what .gitignore names';

const ALL_EXCLUDED = 'everything in the input was excluded, by --exclude or the configuration';

/** The number of file names in a note, enough to see which files are meant. */
const MOST_NAMES = 3;

function namesInWords(files: readonly string[]): string {
  const names = files.slice(0, MOST_NAMES);
  const more = files.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
