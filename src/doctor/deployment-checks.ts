import { type Check, type Group, notSeen, ok, problem, quoted, warning } from './check.ts';
import { entriesOf, type Installation, reinstall } from './installation.ts';

/** Is there a server, of which version, and is enough of it ready? */
export function deploymentChecks(installation: Installation): Group {
  const checks = [
    clusterVersion(installation),
    settings(installation),
    ...deployment(installation),
    ...service(installation),
  ];
  return { title: 'server', checks };
}

/** The first version in which `matchConditions` are stable, without which a webhook is called for everything. */
const OLDEST_MINOR = 30;

function clusterVersion({ clusterVersion, version }: Installation): Check {
  if (!clusterVersion.known) return notSeen(clusterVersion.because);
  const [, minor] = /^v1\.(\d+)/.exec(clusterVersion.value) ?? [];
  if (minor === undefined || Number(minor) >= OLDEST_MINOR)
    return ok(`Kubernetes ${clusterVersion.value}, looked at by rwo-guard ${version}`);
  return problem(
    `Kubernetes ${clusterVersion.value} is too old: the webhooks need 1.${OLDEST_MINOR}`,
    `upgrade the control plane to 1.${OLDEST_MINOR} or newer`,
  );
}

function settings({ settingsFrom }: Installation): Check {
  if (settingsFrom.known) return ok(`settings read from ${settingsFrom.value}`);
  return notSeen(`settings of the server, defaults are assumed: ${settingsFrom.because}`);
}

function deployment(installation: Installation): readonly Check[] {
  const { deployment: read, settings, version } = installation;
  const { namespace } = settings.service;
  if (!read.known) return [notSeen(read.because)];
  if (read.value === undefined) return [missing(installation)];
  const { replicas, ready, updated, image } = read.value;
  const of = `-n ${namespace} deployment/rwo-guard`;
  return [
    replicasCheck(installation, read.value),
    ...(ready >= replicas && updated < replicas
      ? [warning(`${updated} of ${replicas} replicas are of the newest template`, `kubectl rollout status ${of}`)]
      : []),
    imageCheck(image, version),
  ];
}

function missing(installation: Installation): Check {
  const { namespace } = installation.settings.service;
  const entries = entriesOf(installation);
  const elsewhere = entries.find(({ service }) => service !== undefined && service.namespace !== namespace)?.service;
  if (elsewhere !== undefined) {
    const says = `Deployment ${namespace}/rwo-guard does not exist, and the webhooks call namespace ${elsewhere.namespace}`;
    return problem(says, `rwo-guard doctor -n ${quoted(elsewhere.namespace)}`);
  }
  const says = `Deployment ${namespace}/rwo-guard does not exist`;
  if (entries.length === 0) return problem(`${says}: rwo-guard is not installed here`, reinstall(installation));
  return problem(
    `${says}, and its webhook configurations are left over`,
    'kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration rwo-guard',
  );
}

function replicasCheck(
  installation: Installation,
  { replicas, ready }: { readonly replicas: number; readonly ready: number },
): Check {
  const { namespace } = installation.settings.service;
  const scale = `kubectl -n ${namespace} scale deployment/rwo-guard --replicas=2`;
  const pods = `kubectl -n ${namespace} describe pods -l app.kubernetes.io/name=rwo-guard`;
  const says = `${ready} of ${replicas} replicas are ready`;
  if (replicas === 0) return problem('the Deployment is scaled to 0: nothing is judged', scale);
  if (ready === 0) return problem(`${says}: nothing is judged`, pods);
  if (ready < replicas) return warning(says, pods);
  if (replicas > 1) return ok(says);
  const closed = entriesOf(installation).filter(({ failurePolicy }) => failurePolicy === 'Fail');
  if (closed.length === 0) return warning(`${says}: nothing is judged while it restarts`, scale);
  const names = closed.map(({ name }) => name).join(', ');
  return problem(`${says}, and ${names} refuses what it would be asked about while it restarts`, scale);
}

function imageCheck(image: string, version: string): Check {
  const [, tag] = /:(\d+\.\d+\.\d+[^@/]*)(?:@|$)/.exec(image) ?? [];
  if (tag === undefined || tag === version) return ok(`it runs image ${image}`);
  const fix = `upgrade the server, or use rwo-guard ${tag}`;
  return warning(`it runs image ${image}, and this is rwo-guard ${version}: rights and entries may differ`, fix);
}

function service(installation: Installation): readonly Check[] {
  const { service: read, settings } = installation;
  const { namespace, name } = settings.service;
  const full = `Service ${namespace}/${name}`;
  if (!read.known) return [notSeen(read.because)];
  if (read.value === undefined) {
    if (installation.deployment.known && installation.deployment.value === undefined) return []; // that says it all
    return [problem(`${full} does not exist: no call arrives`, reinstall(installation))];
  }
  const { ready } = read.value;
  if (!ready.known) return [notSeen(`whether ${full} leads anywhere: ${ready.because}`)];
  if (ready.value > 0)
    return [ok(`${full} leads to ${ready.value} ready ${ready.value === 1 ? 'address' : 'addresses'}`)];
  return [
    problem(
      `${full} leads nowhere: no pod that it selects is ready`,
      `kubectl -n ${namespace} get pods -l app.kubernetes.io/name=rwo-guard -o wide`,
    ),
  ];
}
