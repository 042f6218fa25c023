import { readFileSync } from 'node:fs';
import type { Fix } from '../mutations/fix.ts';
import { applyExemption } from '../rules/exemption.ts';
import { rules } from '../rules/index.ts';
import { judge } from '../rules/judge.ts';
import { UsageError } from '../usage-error.ts';
import { editManifest } from '../yaml/edit/edit.ts';
import { fixOf, type NoFix } from './fix.ts';
import { STDIN } from './input.ts';
import type { LintFinding } from './judge.ts';
import { namespaceOf } from './report.ts';

/** One file, as it is and as it would be without the findings that a change can end. */
export interface EditedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly changed: readonly ChangedDeployment[];
}

export interface ChangedDeployment {
  /** The Deployment as kubectl takes it: `deployment/web`. */
  readonly name: string;
  /** The namespace as the manifest names it. */
  readonly namespace: string | undefined;
  readonly mutation: Fix['mutation'];
}

export interface Edits {
  readonly files: readonly EditedFile[];
  /** Why something was left as it is, one line each. */
  readonly notes: readonly string[];
}

/** Throws UsageError where stdin is part of the input: there is no file to change. */
export function refuseStdin(paths: readonly string[]): void {
  if (paths.includes(STDIN)) throw new UsageError('--fix and --diff change files: name them, and not - for stdin');
}

/** Which findings count: those that the configuration does not ignore, and that no annotation exempts on this day. */
export interface Counting {
  readonly counts: (finding: LintFinding) => boolean;
  /** As `2026-12-31`, in UTC. */
  readonly today: string;
}

/** What would end these findings, file by file. */
export function editsFor(findings: readonly LintFinding[], counting: Counting): Edits {
  const texts = new Map<string, Omit<EditedFile, 'file'>>();
  const notes: string[] = [];
  for (const found of new Map(findings.map((finding) => [finding.manifest, finding])).values()) {
    const { file, line, document, item } = found.manifest;
    const fix = fixFor(found, counting);
    if (fix === undefined) continue;
    const leave = ({ because, byHand }: NoFix) =>
      notes.push(`${file}:${line}: not fixed, because ${because}; ${byHand}`);
    if ('because' in fix) {
      leave(fix);
      continue;
    }
    const { before, after, changed } = texts.get(file) ?? untouched(file);
    const edited = editManifest(after, { document, item }, fix.patch);
    if ('problem' in edited) leave(edited.problem);
    else {
      const { name } = fix.workload.metadata;
      const now = { name: `deployment/${name}`, namespace: namespaceOf(found), mutation: fix.mutation };
      texts.set(file, { before, after: edited.text, changed: [...changed, now] });
    }
  }
  const files = [...texts].map(([file, text]) => ({ file, ...text }));
  return { files: files.filter(({ before, after }) => before !== after), notes };
}

function untouched(file: string): Omit<EditedFile, 'file'> {
  const text = readFileSync(file, 'utf8');
  return { before: text, after: text, changed: [] };
}

function fixFor(found: LintFinding, { counts, today }: Counting) {
  const { facts, manifest } = found;
  if (facts === undefined) return undefined;
  const fix = () =>
    fixOf(facts, manifest.object, (changed) => {
      const evaluated = judge({ rules }, changed);
      const { kept } = applyExemption(evaluated, changed.workload.metadata, rules, { policy: 'allow', today });
      return kept.filter((finding) => counts({ ...found, finding }));
    });
  return facts.budget.answer(fix, { because: 'judging it takes too many steps', byHand: 'follow the remedies' });
}
