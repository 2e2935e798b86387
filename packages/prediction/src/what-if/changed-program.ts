import { NcclError } from '@nccl-ts/core';
import { validate, type Module, type ValidatedModule } from '@nccl-ts/ir';
import { changeableSites, changeSites, type SiteChange } from '@nccl-ts/mutation';
import { defineBackend, type Backend, type BackendWorld } from '@nccl-ts/transport';
import { SourcePlaces } from '../source-places.ts';
import type { MadeChange, WhatIf } from './what-if.ts';
import { wideStores } from './wide-stores.ts';

/** A synchronization of a program, and how it can be changed. */
export interface ChangeablePlace {
  /** As in `all-reduce.cu:42`. */
  readonly at: string;
  /** The statements there, as in `fence`. */
  readonly names: readonly string[];
  readonly changes: readonly SiteChange[];
}

/** Makes changes in the kernels and launches of a program while it runs. */
export class ChangedProgram {
  readonly #whatIfs: readonly WhatIf[];
  readonly #changed = new Map<ValidatedModule, ValidatedModule>();
  /** By what-if: the changes, by their places and effects. */
  readonly #made: Map<string, MadeChange>[];
  readonly #places = new Map<string, ChangeablePlace>();

  constructor(whatIfs: readonly WhatIf[]) {
    this.#whatIfs = whatIfs;
    this.#made = whatIfs.map(() => new Map<string, MadeChange>());
  }

  /** The changes so far. */
  get made(): readonly MadeChange[] {
    return this.#made.flatMap((changes) => [...changes.values()]);
  }

  /** The synchronizations of the kernels that have run. */
  get places(): readonly ChangeablePlace[] {
    return [...this.#places.values()];
  }

  /** The first what-if that nothing in the program allows; `undefined` if each has changed it. */
  get unmade(): WhatIf | undefined {
    return this.#whatIfs.find((_, i) => this.#made[i]?.size === 0);
  }

  /** A backend that runs the changed kernels in place of the given ones. */
  backend(given: Backend): Backend {
    return defineBackend<Backend>({
      ...given,
      open: async (request) => this.#world(await given.open(request)),
    });
  }

  #world<World extends BackendWorld>(world: World): World {
    const compile = world.compile.bind(world);
    const launch = world.launch.bind(world);
    return Object.assign(world, {
      compile: async (...[module, options]: Parameters<BackendWorld['compile']>) =>
        compile(this.#kernel(module), options),
      launch: (...[executable, config, args]: Parameters<BackendWorld['launch']>) => {
        const { grid } = config;
        launch(executable, { ...config, grid: { ...grid, x: this.#ctas(grid.x) } }, args);
      },
    });
  }

  #ctas(ctas: number): number {
    return this.#whatIfs.reduce((now, whatIf, i) => {
      if (whatIf.kind !== 'ctas') return now;
      const made = Math.max(1, Math.round(now * whatIf.factor));
      if (made !== now) this.#note(i, { at: '', does: `launch of ${now} CTAs has ${made}`, copies: 1 });
      return made;
    }, ctas);
  }

  #kernel(module: ValidatedModule): ValidatedModule {
    const known = this.#changed.get(module);
    if (known !== undefined) return known;
    const places = new SourcePlaces(module);
    this.#list(module, places);
    let changed: Module = module;
    for (const [i, whatIf] of this.#whatIfs.entries()) {
      if (whatIf.kind === 'sync') {
        const { at, to } = whatIf;
        const result = changeSites(changed, ({ span }) => places.isAt(span, at), to);
        changed = result.module;
        for (const { span, name, does } of result.changed)
          this.#note(i, { at: places.shown(span), does: `${name} ${does}`, copies: 1 });
      } else if (whatIf.kind === 'stores') {
        const result = wideStores(changed);
        changed = result.module;
        for (const { span, stores } of result.merged)
          this.#note(i, { at: places.shown(span), does: `${stores} stores are one of 16 bytes`, copies: 1 });
      }
    }
    const made = changed === module ? module : validated(changed, module);
    this.#changed.set(module, made);
    return made;
  }

  #note(whatIf: number, change: MadeChange): void {
    const changes = this.#made[whatIf];
    const key = `${change.at}\n${change.does}`;
    changes?.set(key, { ...change, copies: change.copies + (changes.get(key)?.copies ?? 0) });
  }

  #list(module: Module, places: SourcePlaces): void {
    for (const { span, name, changes } of changeableSites(module)) {
      const at = places.shown(span);
      const known = this.#places.get(at);
      this.#places.set(at, {
        at,
        names: [...new Set([...(known?.names ?? []), name])],
        changes: [...new Set([...(known?.changes ?? []), ...changes])],
      });
    }
  }
}

function validated(changed: Module, original: ValidatedModule): ValidatedModule {
  const result = validate(changed, original.capabilities);
  if (result.ok) return result.module;
  const [first] = result.diagnostics;
  throw new NcclError('NCCL_INVALID_USAGE', first?.message ?? 'The changed kernel is not valid.');
}
