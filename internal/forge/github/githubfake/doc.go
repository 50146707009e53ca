// Package githubfake owns a GitHub for tests: one repository with pull requests
// in memory, its branches in a real bare repository, behind the part of the API
// that is used here. Every request and every answer is held against GitHub's own
// OpenAPI description (openapi.json, cut from it by package extract): what the
// real host would not take or not say is a violation. Persons
// act by methods, and faults are switched on by [GitHub.Inject].
package githubfake
