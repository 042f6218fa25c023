import { realTime } from '../cluster/time.ts';
import { print } from '../lint/output.ts';
import { oneLine } from '../one-line.ts';
import { apply } from '../operate/apply.ts';
import { type Hands, perform } from '../operate/perform.ts';
import { readClaimUse } from '../operate/read-claim-use.ts';
import { wordsOf } from '../recovery/action.ts';
import { diagnose } from '../recovery/diagnose.ts';
import { diagnosisText } from '../recovery/diagnosis-text.ts';
import { type Plan, planFor } from '../recovery/plan.ts';
import { planText } from '../recovery/plan-text.ts';
import type { Mandate } from '../recovery/refusals.ts';
import { printedJson } from '../report/printed-json.ts';
import { UsageError } from '../usage-error.ts';
import { claimFromArgument, textFormat } from './claim-argument.ts';
import { type LookSurroundings, looking, type WhoUsesOptions } from './who-uses.ts';

export interface RecoverOptions extends WhoUsesOptions {
  readonly apply?: boolean;
  readonly dryRun?: boolean;
  readonly timeout?: string;
  readonly nodeIsOff?: readonly string[];
  readonly gitopsSuspended?: boolean;
  readonly despiteBudgets?: boolean;
  readonly rollBack?: boolean;
  readonly keep?: string;
}

/** Ten minutes: six for what is detached by force, and some for pods that go and come. */
const DEFAULT_TIMEOUT_SECONDS = 600;

/** Prints the plan for a claim, or carries it out. 0 where nothing is wrong (any more), 1 otherwise. */
export async function recover(claim: string, options: RecoverOptions, surroundings: LookSurroundings): Promise<number> {
  const ref = claimFromArgument(claim, options);
  const format = textFormat(options.format);
  const { timeout = DEFAULT_TIMEOUT_SECONDS, keep } = options;
  const seconds = Number(timeout);
  if (!(seconds >= 0)) throw new UsageError(`--timeout must be a number of seconds, not ${timeout}`);
  if (keep !== undefined && !/^[^/]+\/[^/]+$/.test(keep)) throw new UsageError(`--keep must be KIND/NAME, not ${keep}`);
  const mandate: Mandate = {
    nodeIsOff: options.nodeIsOff ?? [],
    gitOpsSuspended: options.gitopsSuspended ?? false,
    despiteBudgets: options.despiteBudgets ?? false,
    rollBack: options.rollBack ?? false,
    keep,
  };
  const { stdout, stderr } = surroundings;
  return looking(options, surroundings, async ({ connection, now, signal }) => {
    const hands: Hands = { connection, signal, dryRun: options.dryRun ?? false };
    if (options.apply === true && !hands.dryRun) {
      const say = (line: string): void => void stderr.write(`${oneLine(line)}\n`);
      const ended = await apply({ hands, time: realTime, claim: ref, mandate, timeoutMs: seconds * 1000, say });
      const { done, because, again } = ended;
      const hint = again ? 'run it again to go on\n' : '';
      const text = `${because.split('\n').map(oneLine).join('\n')}\n${hint}`;
      await print(stdout, format === 'json' ? printedJson(ended) : text);
      return done ? 0 : 1;
    }
    const use = await readClaimUse({ connection, now, signal }, ref);
    const diagnosis = diagnose(use);
    const plan = planFor(use, diagnosis, mandate);
    const tried = hands.dryRun ? await trial(hands, plan) : [];
    if (format === 'json') await print(stdout, printedJson({ diagnosis, ...plan, ...(hands.dryRun ? { tried } : {}) }));
    else {
      const text = [diagnosisText(diagnosis), '\n', planText(plan), ...tried.map((line) => `${oneLine(line)}\n`)].join(
        '',
      );
      await print(stdout, text);
    }
    return diagnosis.case === 'nothing-wrong' ? 0 : 1;
  });
}

/** What the API server says to each write, none of which it does. */
async function trial(hands: Hands, { writes }: Plan): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const action of writes) {
    const written = await perform(hands, action);
    const answer =
      written.type === 'refused'
        ? `refused: ${written.because}`
        : written.type === 'written'
          ? 'would pass'
          : 'has changed meanwhile';
    lines.push(`dry run: ${wordsOf(action)}: ${answer}`);
  }
  return lines;
}
