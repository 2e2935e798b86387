declare const phantom: unique symbol;

/**
 * Carries what a thing is to a kernel's author and to the host; exists for the type checker only.
 */
export interface Phantom<Author, Host = never> {
  readonly [phantom]?: { readonly author: Author; readonly host: Host };
}

/** What a kernel's body sees of `T`. */
export type AuthorOf<T> = T extends Phantom<infer Author, infer _Host> ? Author : never;

/** What a launch passes for a parameter of type `T`. */
export type HostOf<T> = T extends Phantom<infer _Author, infer Host> ? Host : never;
