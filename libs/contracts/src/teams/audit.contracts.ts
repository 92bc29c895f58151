import {
  About,
  bool,
  count,
  exactly,
  Id,
  id,
  Int,
  int,
  list,
  nullable,
  object,
  OneOf,
  oneOfKnown,
  Opaque,
  openObject,
  optional,
  Optional,
  resource,
  type Static,
  Text,
  text,
  when,
  WhenAsked,
} from '@carillon/schema';
import { answers, Nothing } from '../contract';
import { nextCursor, type ListPage } from '../list-page';

export const auditActions = [
  'team.created',
  'team.updated',
  'team.deleted',
  'member.joined',
  'member.left',
  'member.removed',
  'member.role_changed',
  'team.ownership_transferred',
  'invite.created',
  'invite.revoked',
  'invite.accepted',
  'app.shared',
  'app.unshared',
  'app.updated',
  'app.removed',
  'device_group.created',
  'device_group.updated',
  'device_group.deleted',
  'domain.set',
  'domain.verified',
  'domain.cleared',
  'oncall_group.created',
  'oncall_group.updated',
  'oncall_group.deleted',
  'oncall_group.emptied',
  'override.created',
  'override.deleted',
  'page.triggered',
  'page.acknowledged',
  'page.escalated',
  'page.resolved',
  'connector.created',
  'connector.updated',
  'connector.deleted',
  'connector.secret_rotated',
  'token.revoked',
  'webhook.disabled',
  'audit.exported',
  'audit.checkpointed',
] as const;
export type AuditAction = (typeof auditActions)[number];

const hash = (about: string) => text(`${about}, SHA-256 in hexadecimal.`);

const proof = object(
  {
    teamId: id('team'),
    sequence: count('1 for the first entry of the team.'),
    keptFrom: count('The oldest entry that retention had left then.'),
    salt: optional(text('Absent where the text was erased.')),
    digest: hash('Of name, address, program and metadata, with the salt'),
    checkpoint: optional(
      object(
        { key: text('The public key: `x` of its JWK.'), signature: text('Ed25519, base64url.') },
        'The installation has signed the hash.',
      ),
    ),
  },
  'What the hash covers and no other field tells.',
);

export const AuditLogEntry = resource(
  'AuditLogEntry',
  {
    id: id('aud'),
    teamId: id('team'),
    actorUserId: nullable(text('Null where no account did it.')),
    actorName: nullable(text('As it was then; null also when it was erased.')),
    actorTokenId: nullable(text()),
    action: oneOfKnown(auditActions),
    targetType: nullable(text()),
    targetId: nullable(text()),
    metadata: openObject(
      { proof },
      'Names of changed fields with values from before and after; never a secret.',
    ),
    ip: nullable(text()),
    userAgent: nullable(text()),
    createdAt: when(),
    previousHash: hash('Of the entry before, zeros for the first'),
    hash: hash('Of this entry'),
  },
  'An action in a team, with its actor.',
);
export type AuditLogEntry = Static<typeof AuditLogEntry>;

export const AuditLogPage = resource('AuditLogPage', { entries: list(AuditLogEntry), nextCursor });

/** The filter for entries. */
export class SelectAudit {
  @Id('team') id!: string;
  @About('Not before this.') @Optional() @WhenAsked() from?: string;
  @About('Before this.') @Optional() @WhenAsked() to?: string;
  @Optional() @Text(1, 64) action?: string;
  @Optional() @Id('usr') actorUserId?: string;
}

export class ListAudit extends SelectAudit {
  @About('`csv`: an export, up to 50,000 entries; `limit` and `cursor` do not apply.')
  @Optional()
  @OneOf(['json', 'csv'])
  format?: 'json' | 'csv';
  @About('How many entries a page has at most; 100 unless said.') @Optional() @Int(1, 200) limit?: number;
  @About('`nextCursor` of the page before.') @Optional() @Opaque(1, 512) cursor?: string;
}

/** Reads the next entries of an export. */
export class ReadAuditExport extends SelectAudit {
  /** Only entries older than the one with this sequence. */
  @Int(1, Number.MAX_SAFE_INTEGER) before!: number;
  @Int(1, 1_000) limit!: number;
}

/** A recorded export, which is read from its own entry on. */
export const AuditExport = object({ sequence: int(), rows: count(), truncated: bool() });
export type AuditExport = Static<typeof AuditExport>;

const AuditKey = object({
  kty: exactly('OKP'),
  crv: exactly('Ed25519'),
  use: exactly('sig'),
  alg: exactly('EdDSA'),
  kid: text(),
  x: text(),
});

export const maxExportedRows = 50_000;

const refuses = ['team.unknown', 'team.forbidden_role'] as const;

export const Audit = {
  list: answers<ListPage<AuditLogEntry>>()(
    'teams.audit.list',
    ListAudit,
    [...refuses, 'list.invalid_cursor'],
    'always',
  ),
  /** Records the export before any entry is read. */
  export: answers(AuditExport)('teams.audit.export', SelectAudit, refuses),
  read: answers<{ entries: AuditLogEntry[]; next: number | null }>()(
    'teams.audit.read',
    ReadAuditExport,
    refuses,
    'always',
  ),
  /** The public keys for the verification of the installation's signatures. */
  keys: answers(object({ keys: list(AuditKey) }))('teams.audit.keys', Nothing, [], 'always'),
};
