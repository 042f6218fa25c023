/*
 * A claim must ask for an access mode that its provisioner can give. Otherwise the claim stays Pending, or it binds and
 * promises something the disk cannot keep.
 *
 * Judged: access modes and volume mode of a claim that is not bound yet, and the provisioner of its storage class.
 * Allowed: provisioners of which nothing is known, classes without a provisioner, claims that are bound.
 */
import type { Fix } from './remedy.ts';
import type { ClaimRule, Problem } from './rule.ts';

export const accessModeUnsupported: ClaimRule = {
  judges: 'claim',
  meta: {
    id: 'access-mode-unsupported',
    subject: 'PersistentVolumeClaim',
    severity: 'error',
    brief: 'the claim asks for a mode its provisioner refuses',
    says: 'the claim asks for a mode its provisioner refuses (lowered to warning where it depends)',
    reason: 'its provisioner refuses the access mode',
    remedy: 'Ask for ReadWriteOnce, or name a storage class whose provisioner shares volumes between nodes.',
    references: ['https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes'],
  },
  check({ provisioner, support }) {
    return support.flatMap(({ mode, answer }): readonly Problem[] => {
      const problem = {
        detail: `${mode} refused by ${provisioner}`,
        why: `${provisioner} makes no volumes for ${mode}: the claim stays Pending, or promises what its disk cannot do`,
        claims: [],
        fix: fixOf(mode),
      };
      switch (answer) {
        case 'no':
          return [problem];
        case 'depends':
          return [
            {
              ...problem,
              reason: 'its provisioner may refuse the access mode',
              detail: `${mode} may be refused by ${provisioner}`,
              why: `whether ${provisioner} makes volumes for ${mode} depends on how the storage is set up`,
              lowered: { severity: 'warning', because: 'depending on its set-up' },
            },
          ];
        case 'yes':
        case '?':
          return [];
        default:
          return answer satisfies never;
      }
    });
  },
};

/** What takes ReadWriteMany nearly always takes ReadWriteOnce as well; what shares files may take no mode but that. */
function fixOf(mode: string): Fix {
  const another = `a storage class that gives ${mode}`;
  if (mode === 'ReadWriteOnce') return { short: 'change class', written: another };
  return { short: 'change class or mode', written: `${another}, or spec.accessModes: [ReadWriteOnce]` };
}
