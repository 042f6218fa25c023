import type { Metadata } from '../objects/metadata.ts';
import { objectName } from '../report/report.ts';
import type { ScannedExemption } from '../report/scan-report.ts';
import type { Ignores } from '../rules/configured-ignores.ts';
import { applyExemption } from '../rules/exemption.ts';
import { rules } from '../rules/index.ts';
import type { StandingFinding } from './judge-standing.ts';
import { resourceOf } from './report.ts';

/** Parts what somebody exempted from what counts, and remembers why. */
export class Exemptions {
  readonly exempt: ScannedExemption[] = [];
  readonly problems: string[] = [];
  readonly #ignores: Ignores;
  readonly #today: string;

  /** `today` as `2026-12-31`, in UTC. */
  constructor(ignores: Ignores, today: string) {
    this.#ignores = ignores;
    this.#today = today;
  }

  counting(
    found: readonly StandingFinding[],
    { kind, metadata }: { readonly kind: string; readonly metadata: Metadata },
  ): readonly StandingFinding[] {
    if (found.length === 0) return found;
    const resource = resourceOf({ kind, ...metadata });
    const byFinding = new Map(found.map((one) => [one.finding, one]));
    const { kept, exemptions, problems } = applyExemption([...byFinding.keys()], metadata, rules, {
      policy: 'allow',
      today: this.#today,
    });
    for (const problem of problems) this.problems.push(`${objectName(resource)}: ${problem}`);
    for (const exemption of exemptions) this.exempt.push({ ...exemption, resource });
    return kept.flatMap((finding) => {
      const exception = this.#ignores.exceptionFor({ rule: finding.rule, resource });
      if (exception === undefined) return byFinding.get(finding) ?? [];
      const { reason, expires: until } = exception;
      this.exempt.push({ resource, rules: [finding.rule.id], reason, until });
      return [];
    });
  }
}
