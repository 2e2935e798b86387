import './incomplete-warps.test.ts';
