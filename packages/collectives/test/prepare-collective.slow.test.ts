import './prepare-collective.test.ts';
