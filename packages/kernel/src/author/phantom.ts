declare const phantom: unique symbol;

/**
 * Carries the types that a value has in a kernel's body and on the host. Only the type checker uses
 * it.
 */
export interface Phantom<Author, Host = never> {
  readonly [phantom]?: { readonly author: Author; readonly host: Host };
}

/** The type of `T` in a kernel's body. */
export type AuthorOf<T> = T extends Phantom<infer Author, infer _Host> ? Author : never;

/** The type of the argument that a launch passes for a parameter of type `T`. */
export type HostOf<T> = T extends Phantom<infer _Author, infer Host> ? Host : never;
