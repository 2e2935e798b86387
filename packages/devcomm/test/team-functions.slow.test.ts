import './team-functions.test.ts';
