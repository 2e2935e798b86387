import type { Cta, CtaStatus, KernelProgram, ProgramCode } from '@nccl-ts/codegen';
import type { Site, Waiting } from '@nccl-ts/findings';
import type { CollectiveLaunch, CtaIdentity } from '@nccl-ts/transport';

const sites: readonly Site[] = Object.freeze([{ span: { source: 0, start: 0, end: 0 }, what: 'collective' }]);

/** Returns the code of a rank's part of a collective: it begins, and waits for the other ranks. */
export function collectiveCode(launch: CollectiveLaunch): ProgramCode {
  return { language: 'js', text: '', sites, bind: () => new CollectiveProgram(launch) };
}

class CollectiveProgram implements KernelProgram {
  readonly #launch: CollectiveLaunch;
  #hasBegun = false;

  constructor(launch: CollectiveLaunch) {
    this.#launch = launch;
  }

  start(identity: CtaIdentity): Cta {
    return { identity };
  }

  resume(): CtaStatus {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#launch.begin();
    }
    this.#launch.check();
    return this.#launch.isOver ? 'done' : 'parked';
  }

  canResume(): boolean {
    return this.#launch.isOver;
  }

  waiting(): readonly Waiting[] {
    const { missing } = this.#launch;
    const needed = `${missing.length === 1 ? 'rank' : 'ranks'} ${missing.join(', ')} to begin it as well`;
    return [{ site: 0, kind: 'collective', threads: [0], words: [], needed }];
  }
}
