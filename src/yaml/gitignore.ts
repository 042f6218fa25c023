/* What git leaves out by its `.gitignore` files (https://git-scm.com/docs/gitignore). */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ignore, { type Ignore } from 'ignore';

export const GITIGNORE = '.gitignore';

/** The patterns of one `.gitignore`, which count below the folder that it stands in. */
interface Level {
  readonly folder: string;
  readonly patterns: Ignore;
}

/** The `.gitignore` files that count in one folder. */
export class GitIgnored {
  /** The outermost first. */
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  /** None, so that nothing is left out. */
  static readonly none = new GitIgnored([]);

  /**
   * Those from the root of the repository down to a folder that somebody named, without its own. A folder that they leave out was
   * meant all the same, so that there they do not count.
   */
  static above(named: string): GitIgnored {
    const folder = resolve(named);
    const above = foldersAbove(folder);
    const root = [folder, ...above].findIndex((one) => existsSync(join(one, '.git')));
    if (root <= 0) return GitIgnored.none;
    const levels = above.slice(0, root).toReversed().flatMap(levelIn);
    const ignored = new GitIgnored(levels);
    return ignored.leavesOut(`${folder}/`) ? GitIgnored.none : ignored;
  }

  /** With the patterns of a folder's own file. */
  below(folder: string): GitIgnored {
    return new GitIgnored([...this.#levels, ...levelIn(resolve(folder))]);
  }

  /** Whether a path is left out; folders end in a slash. The file that is nearest to it decides. */
  leavesOut(path: string): boolean {
    for (const { folder, patterns } of this.#levels.toReversed()) {
      const { ignored, unignored } = patterns.test(relative(folder, path) + (path.endsWith('/') ? '/' : ''));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/** A file that cannot be read has no patterns, as for git. */
function levelIn(folder: string): readonly Level[] {
  const file = join(folder, GITIGNORE);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
  try {
    return [{ folder, patterns: ignore({ ignorecase: false }).add(readFileSync(file, 'utf8')) }];
  } catch {
    return [];
  }
}
