import { type Check, type Group, notSeen, ok, problem } from './check.ts';
import type { Installation, RightRead } from './installation.ts';
import type { Right } from './rights.ts';

/** What the server's account may not do, a line for each role of the manifests. */
export function rightsChecks({ rights, settings, deployment }: Installation): Group {
  const { namespace } = settings.service;
  const name = (deployment.known ? deployment.value?.serviceAccount : undefined) ?? 'rwo-guard';
  const account = { namespace, name };
  // A Role and a ClusterRole may have one name.
  const byRole = [...Map.groupBy(rights, (right) => `${right.role} ${right.namespace}`).values()];
  const checks = byRole.map((all) => roleCheck(all[0]?.role ?? '', all, account));
  return { title: 'rights of the server', checks };
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

function roleCheck(role: string, rights: readonly RightRead[], account: Account): Check {
  const missing = rights.filter(({ granted }) => granted.known && !granted.value);
  if (missing.length > 0) {
    const [first] = missing;
    const says = `${account.namespace}/${account.name} may not ${inWords(missing)}: ${first?.otherwise ?? ''}`;
    return problem(says, granting(role, missing, account));
  }
  const open = rights.find(({ granted }) => !granted.known);
  if (open === undefined || open.granted.known) return ok(`all that role ${role} is for is allowed (${rights.length})`);
  return notSeen(
    `what role ${role} is for: ${open.granted.because}`,
    `kubectl auth can-i --list --as=system:serviceaccount:${account.namespace}:${account.name}`,
  );
}

/** `list, watch nodes; get persistentvolumes`. */
function inWords(rights: readonly Right[]): string {
  return condensed(rights)
    .map(({ verbs, resources, resourceNames = [] }) =>
      [verbs.join(', '), resources.join(', '), ...resourceNames].join(' '),
    )
    .join('; ');
}

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** As few rules as say it. */
function condensed(rights: readonly Right[]): readonly PolicyRule[] {
  const byResource = [...Map.groupBy(rights, ({ group, resource, name }) => `${group} ${resource} ${name}`).values()];
  const byVerbs = Map.groupBy(byResource, (all) => {
    const [first] = all;
    return `${first?.group} ${first?.name} ${all.map(({ verb }) => verb).join()}`;
  });
  return [...byVerbs.values()].map((alike) => {
    const [all = []] = alike;
    const [first] = all;
    return {
      apiGroups: [first?.group ?? ''],
      resources: [...new Set(alike.flat().map(({ resource }) => resource))],
      ...(first?.name && { resourceNames: [first.name] }),
      verbs: all.map(({ verb }) => verb),
    };
  });
}

/**
 * Adds the rules to the role of the manifests, or makes it, and binds it: `kubectl auth reconcile` never takes a right away.
 */
function granting(role: string, missing: readonly Right[], { namespace, name }: Account): string {
  const within = missing.find((right) => right.namespace !== '')?.namespace;
  const kind = within === undefined ? 'ClusterRole' : 'Role';
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: role, ...(within !== undefined && { namespace: within }) };
  const binding = {
    apiVersion,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
  };
  const items = [{ apiVersion, kind, metadata, rules: condensed(missing) }, binding];
  return `echo '${JSON.stringify({ apiVersion: 'v1', kind: 'List', items })}' | kubectl auth reconcile -f -`;
}
