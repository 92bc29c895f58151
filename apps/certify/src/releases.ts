import { checkout } from '@carillon/testkit';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

export type Release = 'this' | 'other';

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', checkout, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

/** This checkout and one of another commit, and which of the two each process of a cluster runs at its next start. */
export class Releases {
  /** For `CARILLON_RELEASES`. */
  readonly links: string;
  private readonly other: string;
  readonly commit: string;

  /** Checks out and builds the other one in `folder`. */
  constructor(folder: string, commit: string) {
    this.commit = git('rev-parse', '--short', `${commit}^{commit}`);
    this.links = join(folder, 'releases');
    this.other = join(folder, 'other');
    mkdirSync(this.links);
    git('worktree', 'add', '--detach', this.other, this.commit);
    try {
      this.build();
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  private build(): void {
    const lock = 'package-lock.json';
    const isSame =
      readFileSync(join(checkout, lock), 'utf8') === readFileSync(join(this.other, lock), 'utf8');
    if (isSame) symlinkSync(join(checkout, 'node_modules'), join(this.other, 'node_modules'));
    else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: this.other, stdio: ['ignore', 2, 2] });
    const build = `import('./tools/build.mjs').then(({ build }) => build())`;
    execFileSync(process.execPath, ['-e', build], { cwd: this.other, stdio: ['ignore', 2, 2] });
  }

  /** From its next start on, the process runs the release. */
  choose(part: string, release: Release): void {
    const link = join(this.links, part);
    symlinkSync(release === 'this' ? checkout : this.other, `${link}.new`);
    renameSync(`${link}.new`, link);
  }

  remove(): void {
    git('worktree', 'remove', '--force', this.other);
  }
}
