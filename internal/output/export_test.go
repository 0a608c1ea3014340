package output

// BeforeStep has f called before each step that changes the disk.
func BeforeStep(f func(step string)) { beforeStep = f }
