import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtTools, type GoTools } from '../control-plane/go-tools.ts';

export type HelmVersion = 'v3' | 'v4';

/** The chart, as it lies in the repository. */
export const CHART = join(import.meta.dirname, '../../manifests/helm/rwo-guard');

/** Only release builds set these: a Helm 3 without them takes itself for a client of Kubernetes 1.20. */
const KUBERNETES: Readonly<Record<HelmVersion, readonly string[]>> = {
  v3: ['-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1', '-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=36'],
  v4: [],
};

function toolsOf(version: HelmVersion): GoTools {
  return {
    name: `helm-${version}`,
    module: join(import.meta.dirname, version),
    flags: ['-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=${['-s -w', ...KUBERNETES[version]].join(' ')}`],
    announcement: `building Helm ${version.slice(1)} from source; done once; two minutes on two cores`,
  };
}

/** The path of the program, which is built when it is not there yet. */
export async function helmProgram(version: HelmVersion): Promise<string> {
  return join(await builtTools(toolsOf(version)), 'helm');
}

/** Runs Helm to its end, and gives what it prints; it has to succeed. `home` holds what it remembers. */
export async function helm(
  version: HelmVersion,
  args: readonly string[],
  { home, kubeconfig }: { readonly home: string; readonly kubeconfig?: string },
): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home, ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }) };
  const { stdout } = await promisify(execFile)(await helmProgram(version), args, { env, maxBuffer: 32 * 1024 * 1024 });
  return stdout;
}
