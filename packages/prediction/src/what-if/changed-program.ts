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
  readonly #changed = new Map<ValidatedModule, ValidatedModule>();
  /** Each what-if, with the changes that it made, by their places and effects. */
  readonly #asked: readonly { readonly whatIf: WhatIf; readonly made: Map<string, MadeChange> }[];
  readonly #places = new Map<string, ChangeablePlace>();

  constructor(whatIfs: readonly WhatIf[]) {
    this.#asked = whatIfs.map((whatIf) => ({ whatIf, made: new Map<string, MadeChange>() }));
  }

  /** The changes so far. */
  get made(): readonly MadeChange[] {
    return this.#asked.flatMap(({ made }) => [...made.values()]);
  }

  /** The synchronizations of the kernels that have run. */
  get places(): readonly ChangeablePlace[] {
    return [...this.#places.values()];
  }

  /** The first what-if that nothing in the program allows; `undefined` if each has changed it. */
  get unmade(): WhatIf | undefined {
    return this.#asked.find(({ made }) => made.size === 0)?.whatIf;
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
    return this.#asked.reduce((now, { whatIf, made }) => {
      if (whatIf.kind !== 'ctas') return now;
      const next = Math.max(1, Math.round(now * whatIf.factor));
      if (next !== now) note(made, '', `launch of ${now} CTAs has ${next}`);
      return next;
    }, ctas);
  }

  #kernel(module: ValidatedModule): ValidatedModule {
    const known = this.#changed.get(module);
    if (known !== undefined) return known;
    const places = new SourcePlaces(module);
    this.#list(module, places);
    let changed: Module = module;
    for (const { whatIf, made } of this.#asked) {
      if (whatIf.kind === 'sync') {
        const { at, to } = whatIf;
        const result = changeSites(changed, ({ span }) => places.isAt(span, at), to);
        changed = result.module;
        for (const { span, name, does } of result.changed) note(made, places.shown(span), `${name} ${does}`);
      } else if (whatIf.kind === 'stores') {
        const result = wideStores(changed);
        changed = result.module;
        for (const { span, stores } of result.merged)
          note(made, places.shown(span), `${stores} stores are one of 16 bytes`);
      }
    }
    const result = changed === module ? module : validated(changed, module);
    this.#changed.set(module, result);
    return result;
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

/** Adds a change, or one more copy of it. */
function note(made: Map<string, MadeChange>, at: string, does: string): void {
  const key = `${at}\n${does}`;
  const known = made.get(key);
  made.set(key, { at, does, copies: known === undefined ? 1 : known.copies + 1 });
}

function validated(changed: Module, original: ValidatedModule): ValidatedModule {
  const result = validate(changed, original.capabilities);
  if (result.ok) return result.module;
  const [first] = result.diagnostics;
  throw new NcclError('NCCL_INVALID_USAGE', first?.message ?? 'The changed kernel is not valid.');
}
