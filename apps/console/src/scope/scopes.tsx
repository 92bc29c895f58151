import type { ComponentChildren } from 'preact';

interface ScopesProps<Scope extends string> {
  readonly scopes: readonly Scope[];
  readonly isPreselected: (scope: Scope) => boolean;
  readonly about?: (scope: Scope) => ComponentChildren;
}

/** The check boxes by which a person chooses scopes in a form. */
export const Scopes = <Scope extends string>({ scopes, isPreselected, about }: ScopesProps<Scope>) => (
  <fieldset>
    <legend>It may</legend>
    {scopes.map((scope) => (
      <label key={scope} class="check">
        <input type="checkbox" name="scopes" value={scope} defaultChecked={isPreselected(scope)} />
        {scope}
        {about?.(scope)}
      </label>
    ))}
  </fieldset>
);

/** Those of the scopes that are checked. */
export const chosenIn = <Scope extends string>(form: FormData, scopes: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => form.getAll('scopes').includes(scope));
