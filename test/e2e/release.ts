import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };

/** One version of rwo-guard, as it lies in a checkout where the program was built. */
export interface Release {
  readonly version: string;
  /** The program, whose folder is what the image of this version runs. */
  readonly program: string;
  /** The base of the kustomization; its components lie beside it. */
  readonly kustomization: string;
  readonly chart: string;
}

const CHECKOUT = join(import.meta.dirname, '../..');

export const THIS_RELEASE = releaseIn(CHECKOUT, packageJson.version);

/** What the program is built from, and what installs it. */
const PARTS = ['src', 'certs', 'manifests', 'package.json', 'tsconfig.json', 'test/build.ts', 'test/build-page.ts'];

/** Makes the version after this one: the same, with the number raised wherever a release raises it. */
export async function nextRelease(folder: string): Promise<Release> {
  const [major, minor] = packageJson.version.split('.').map(Number);
  const version = `${major}.${Number(minor) + 1}.0`;
  for (const part of PARTS) await cp(join(CHECKOUT, part), join(folder, part), { recursive: true });
  await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  const release = releaseIn(folder, version);
  await raise(join(folder, 'package.json'), /(?<=^ {2}"version": ").*(?=",$)/m, version);
  await raise(join(release.chart, 'Chart.yaml'), /(?<=^version: ).*$/m, version);
  await raise(join(release.chart, 'Chart.yaml'), /(?<=^appVersion: ).*$/m, version);
  await raise(join(release.kustomization, 'kustomization.yaml'), /(?<=^ +newTag: ).*$/m, version);
  await promisify(execFile)(process.execPath, [join(folder, 'test/build.ts')]);
  return release;
}

async function raise(file: string, number: RegExp, version: string): Promise<void> {
  await writeFile(file, (await readFile(file, 'utf8')).replace(number, version));
}

function releaseIn(folder: string, version: string): Release {
  return {
    version,
    program: join(folder, 'dist/rwo-guard.js'),
    kustomization: join(folder, 'manifests/kustomize/base'),
    chart: join(folder, 'manifests/helm/rwo-guard'),
  };
}
