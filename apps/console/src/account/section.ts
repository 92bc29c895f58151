export interface SectionProps {
  /** Does what needs a recent sign-in, and asks for one where it was too long ago. */
  readonly recently: (act: () => Promise<void>) => Promise<void>;
  readonly showCodes: (codes: readonly string[] | undefined) => void;
}
