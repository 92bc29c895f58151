export { membership, type MembershipTables, membershipTables, type TeamHandlers } from './membership';
