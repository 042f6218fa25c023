/*
 * A claim must ask for an access mode that its provisioner can give. Otherwise the claim stays Pending, or it binds and
 * promises something the disk cannot keep.
 *
 * Judged: access modes and volume mode of a claim that is not bound yet, and the provisioner of its storage class.
 * Allowed: provisioners of which nothing is known, classes without a provisioner, claims that are bound.
 */
import type { ClaimRule, Problem } from './rule.ts';

export const accessModeUnsupported: ClaimRule = {
  judges: 'claim',
  meta: {
    id: 'access-mode-unsupported',
    subject: 'PersistentVolumeClaim',
    severity: 'error',
    says: 'the claim asks for a mode its provisioner refuses (lowered to warning where it depends)',
    reason: 'the provisioner refuses the access mode',
    remedy: 'Ask for ReadWriteOnce, or name a storage class whose provisioner shares volumes between nodes.',
    references: ['https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes'],
  },
  check({ provisioner, support }) {
    return support.flatMap(({ mode, answer }): readonly Problem[] => {
      const problem = { detail: `${mode} on ${provisioner}`, claims: [], fix: 'use another class' };
      switch (answer) {
        case 'no':
          return [problem];
        case 'depends':
          return [{ ...problem, lowered: { severity: 'warning', because: 'depends on how the storage is set up' } }];
        case 'yes':
        case '?':
          return [];
        default:
          return answer satisfies never;
      }
    });
  },
};
