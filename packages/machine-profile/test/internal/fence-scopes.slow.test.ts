import './fence-scopes.test.ts';
