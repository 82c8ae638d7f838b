// ⟨README.md: import ScopedInjection⟩

// ⟨README.md: request.databasePath⟩
