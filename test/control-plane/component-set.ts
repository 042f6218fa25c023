import type { ComponentName } from './command-lines.ts';
import { Component, type ComponentOptions } from './component.ts';
import type { Reaper } from './reaper.ts';

/** The components of one control plane, by name. */
export class ComponentSet {
  readonly #components = new Map<ComponentName, Component>();
  readonly #reaper: Reaper;

  constructor(reaper: Reaper) {
    this.#reaper = reaper;
  }

  /** Starts a component for the first time, and waits until it is ready. */
  async start(name: ComponentName, options: ComponentOptions): Promise<void> {
    const component = new Component(options, this.#reaper);
    this.#components.set(name, component);
    await component.start();
  }

  get(name: ComponentName): Component {
    const component = this.#components.get(name);
    if (component === undefined) {
      throw new Error(`${name} is not part of this control plane: ask for it when starting it`);
    }
    return component;
  }

  async restart(name: ComponentName): Promise<void> {
    const component = this.get(name);
    await component.kill();
    await component.start();
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#components.values()].map((component) => component.kill()));
  }

  get anyFailed(): boolean {
    return [...this.#components.values()].some((component) => component.failed);
  }
}
