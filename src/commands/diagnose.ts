import { print } from '../lint/output.ts';
import { oneLine } from '../one-line.ts';
import { readClaimUse, type Sight } from '../operate/read-claim-use.ts';
import { stuckClaims } from '../operate/stuck-claims.ts';
import { diagnose } from '../recovery/diagnose.ts';
import { isFine } from '../recovery/diagnosis.ts';
import { diagnosisText } from '../recovery/diagnosis-text.ts';
import { printedJson } from '../report/printed-json.ts';
import { claimFromArgument, type TextFormat, textFormat } from './claim-argument.ts';
import { type LookSurroundings, looking, type WhoUsesOptions } from './who-uses.ts';

/** Prints what is the matter with one claim, or with all that are stuck. 0 where nothing is, 1 otherwise. */
export async function diagnoseClaims(
  claim: string | undefined,
  options: WhoUsesOptions,
  surroundings: LookSurroundings,
): Promise<number> {
  const format = textFormat(options.format);
  const ref = claim === undefined ? undefined : claimFromArgument(claim, options);
  return looking(options, surroundings, async (sight) => {
    if (ref === undefined) return everyStuckClaim(sight, options.namespace, format, surroundings);
    const diagnosis = diagnose(await readClaimUse(sight, ref));
    await print(surroundings.stdout, format === 'json' ? printedJson(diagnosis) : diagnosisText(diagnosis));
    return isFine(diagnosis) && diagnosis.case !== 'no-claim' ? 0 : 1;
  });
}

async function everyStuckClaim(
  sight: Sight,
  namespace: string | undefined,
  format: TextFormat,
  { stdout }: LookSurroundings,
): Promise<number> {
  const found = await stuckClaims(sight, namespace);
  const { stuck, inUse, more, unseen, isComplete } = found;
  if (format === 'json') await print(stdout, printedJson(found));
  else {
    const rest = more > 0 ? `, of which ${more} are not told` : '';
    const last = `${stuck.length + more} of ${inUse} claims in use are stuck${rest}\n`;
    const blind = unseen.map((because) => `not seen: ${oneLine(because)}\n`);
    await print(stdout, [...stuck.map((one) => `${diagnosisText(one)}\n`), ...blind, last].join(''));
  }
  return stuck.length === 0 && isComplete ? 0 : 1;
}
