import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Chromium is on the systems that have it as a package, and Chrome where somebody has that. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** A real browser without a window. `CHROMIUM_PATH` names another one than that of the system. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath() });
}

function chromiumPath(): string {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH;
  const found = PLACES.find((path) => existsSync(path)) ?? installed();
  if (found !== undefined) return found;
  throw new Error('there is no Chromium, and it may not be installed here: install it, or name it in CHROMIUM_PATH');
}

/** As root on Debian and its like; nothing elsewhere. */
function installed(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core']]) {
    execFileSync('apt-get', ['-q', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return PLACES.find((path) => existsSync(path));
}
