import './call-options.test.ts';
