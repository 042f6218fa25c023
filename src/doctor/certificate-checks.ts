import type { CertificateStatus } from '../../certs/index.ts';
import { type Check, type Group, notSeen, ok, problem, warning } from './check.ts';
import { entriesOf, type Installation } from './installation.ts';

/** Is there a certificate, and does every entry hold the authority that signed it? */
export function certificateChecks(installation: Installation): Group {
  const { certificates, settings } = installation;
  const title = 'certificates';
  if (settings.certificates.source === 'files') return { title, checks: mounted(installation) };
  if (!certificates.known) return { title, checks: [notSeen(certificates.because), ...empty(installation)] };
  const { certificate, caBundles, problems } = certificates.value;
  const wrong = caBundles.filter(({ agrees }) => agrees === false);
  // Those of an entry are told below, each with its remedy.
  const others = problems.filter((one) => wrong.length === 0 || !wrong.some(({ entry }) => one.includes(entry)));
  return {
    title,
    checks: [
      ...(certificate === undefined ? [] : [ok(`valid until ${certificate.notAfter.toISOString()}`)]),
      ...others.map((one) => problem(one, logsOf(installation))),
      ...caBundles.flatMap((caBundle) => caBundleCheck(caBundle, installation)),
    ],
  };
}

type CaBundleStatus = CertificateStatus['caBundles'][number];

function caBundleCheck(
  { kind, configuration, entry, agrees, strange }: CaBundleStatus,
  installation: Installation,
): readonly Check[] {
  if (agrees === undefined) return []; // there is no certificate, which is told
  const fix = injecting({ kind, configuration, entry }, installation);
  if (!agrees) return [problem(`the caBundle of ${entry} does not verify the certificate: its calls fail`, fix)];
  if (strange === 0) return [ok(`the caBundle of ${entry} verifies it`)];
  const who = strange === 1 ? 'an authority' : `${strange} authorities`;
  return [warning(`the caBundle of ${entry} verifies it, and trusts ${who} of somebody else, or left over`, fix)];
}

/** What a server would do: it writes the authorities of the Secret into the entry. */
function injecting(
  { kind, configuration, entry }: Pick<CaBundleStatus, 'kind' | 'configuration' | 'entry'>,
  { configurations, settings }: Installation,
): string {
  const { namespace } = settings.service;
  const read = configurations.find((one) => one.kind === kind && one.name === configuration)?.found;
  const index = (read?.known ? (read.value ?? []) : []).find(({ name }) => name === entry)?.index ?? 0;
  const authorities = `$(kubectl -n ${namespace} get secret ${settings.certificates.secretName} -o jsonpath='{.data.ca\\.crt}')`;
  const path = `/webhooks/${index}/clientConfig/caBundle`;
  const patch = `[{\\"op\\":\\"add\\",\\"path\\":\\"${path}\\",\\"value\\":\\"${authorities}\\"}]`;
  return `kubectl patch ${kind.toLowerCase()} ${configuration} --type=json -p "${patch}"`;
}

function mounted(installation: Installation): readonly Check[] {
  const wrong = empty(installation);
  if (wrong.length > 0) return wrong;
  const says = 'the certificate, which is mounted: whether a caBundle verifies it, only a call shows';
  return [notSeen(says)];
}

const SET_BY_OTHERS =
  "whoever mounts the certificate sets it: see the log of cert-manager's cainjector, or give the chart value certificates.caBundle";

function empty(installation: Installation): readonly Check[] {
  const missing = entriesOf(installation).filter(({ hasCaBundle, service }) => !hasCaBundle && service !== undefined);
  const isMounted = installation.settings.certificates.source === 'files';
  const fix = isMounted ? SET_BY_OTHERS : logsOf(installation);
  return missing.map(({ name }) => problem(`the caBundle of ${name} is empty: its calls fail`, fix));
}

function logsOf({ settings }: Installation): string {
  return `kubectl -n ${settings.service.namespace} logs -l app.kubernetes.io/name=rwo-guard --prefix --tail=50`;
}
