import { Email, list, object, OneOf, Opaque, Optional, type Static, text, Text } from '@carillon/schema';

// What people give to sign in, and what they get for the next time.

/** Authentication with a password, and with a second factor where the account has one. */
export class SignIn {
  @Email() email!: string;
  @Opaque(1, 1024) password!: string;
  /** The code of an authenticator app. */
  @Optional() @Text(1, 16) totp?: string;
  /** In place of `totp`. */
  @Optional() @Text(1, 32) recoveryCode?: string;
  @Optional() @OneOf(['app', 'browser']) client?: 'app' | 'browser';
}

/** Authentication of somebody whose authenticator app or passkey is lost. */
export class Recover {
  @Email() email!: string;
  @Text(1, 32) recoveryCode!: string;
  /** Where the account has one. */
  @Optional() @Opaque(1, 1024) password?: string;
  @Optional() @OneOf(['app', 'browser']) client?: 'app' | 'browser';
}

/** The code of an authenticator app. */
export class TotpCode {
  @Text(1, 16) code!: string;
}

export class SignUp {
  @Email() email!: string;
  @Text(1, 80) name!: string;
  @Opaque(12, 256) password!: string;
  @Optional() @Text(1, 64) inviteCode?: string;
  @Optional() @OneOf(['app', 'browser']) client?: 'app' | 'browser';
}

export class Bootstrap {
  @Opaque(1, 256) secret!: string;
  @Email() email!: string;
  @Text(1, 80) name!: string;
  @Opaque(12, 256) password!: string;
  @Optional() @OneOf(['app', 'browser']) client?: 'app' | 'browser';
}

export class RefreshSession {
  @Opaque(1, 256) refreshToken!: string;
}

/** A key for an authenticator app: as text, and as the app reads it from a QR code. */
export const TotpKey = object({
  secret: text('Base32. Shown this once.'),
  uri: text('`otpauth://totp/…`, for a QR code.'),
});
export type TotpKey = Static<typeof TotpKey>;

export const RecoveryCodes = object({ recoveryCodes: list(text('Shown this once. Good once.')) });
export type RecoveryCodes = Static<typeof RecoveryCodes>;
