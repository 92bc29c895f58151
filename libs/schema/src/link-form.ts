import type { LinkKind } from './rule';
import { controls } from './text';

export const webForm = /^(https?):\/\/([^/?#\\\s]+)([^\s\\]*)$/i;
export const appForm = /^[a-z][a-z0-9+.-]{1,30}:(?:\/\/([^/?#\\\s]*))?[^\s\\]*$/;
export const neverSchemes = /^(?:javascript|data|vbscript|file|blob):/i;

/** The pattern of these addresses, without the rules for hosts that only a URL parser knows. */
export function linkForm(kind: LinkKind): string {
  const inside = `[^\\s\\\\${controls}]*`;
  const host = `[^/?#@\\s\\\\${controls}]+`;
  const web = `://${host}(?:[/?#]${inside})?`;
  switch (kind) {
    case 'https':
      return `^[Hh][Tt][Tt][Pp][Ss]${web}$`;
    case 'webhook':
      return `^[Hh][Tt][Tt][Pp][Ss]://(?![^/?]*:0+(?:[/?]|$))${host}(?:[/?][^#\\s\\\\${controls}]*)?$`;
    case 'web':
      return `^[Hh][Tt][Tt][Pp][Ss]?${web}$`;
    case 'tap':
      return (
        `^(?:[Hh][Tt][Tt][Pp][Ss]?${web}|(?!(?:https?|javascript|data|vbscript|file|blob):)` +
        `[a-z][a-z0-9+.-]{1,30}:(?!//[^/?#]*@)${inside})$`
      );
  }
}

/** Not `URL.canParse`: once it is compiled, that of Node 20 takes no text with letters such as `ü`. */
export function isUrl(address: string): boolean {
  try {
    new URL(address);
    return true;
  } catch {
    return false;
  }
}
