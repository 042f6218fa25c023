import type { RightRead } from '../doctor/installation.ts';
import type { Right } from '../doctor/rights.ts';
import { type Fact, known, unknown } from '../objects/fact.ts';
import { objectAt, stringAt } from '../objects/json.ts';
import type { ApiWriter } from './connection.ts';
import { seen } from './seen.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

/** Asks the API server what the account may do. Nothing is written; whoever asks has to be allowed to. */
export async function reviewRights(
  connection: ApiWriter,
  rights: readonly Right[],
  account: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<readonly RightRead[]> {
  return Promise.all(
    rights.map(async (right) => {
      const granted = await seen('whether it is allowed', () => review(connection, right, account, signal));
      return { ...right, granted: granted.known ? granted.value : granted };
    }),
  );
}

async function review(
  connection: ApiWriter,
  { namespace, group, resource, verb, name }: Right,
  account: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Fact<boolean>> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: `system:serviceaccount:${account.namespace}:${account.name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`, 'system:authenticated'],
      resourceAttributes: { namespace, group, resource, verb, name },
    },
  };
  const { status, body: answer } = await connection.send('POST', REVIEWS, body, { signal });
  if (status === 201) return known(objectAt(answer, 'status')?.allowed === true);
  if (status === 403) return unknown('you may not ask what others may do (create subjectaccessreviews)');
  return unknown(`the API server answered ${status}: ${stringAt(answer, 'message') ?? ''}`);
}
